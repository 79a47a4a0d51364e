package dev.holdfast.internal.event.engine;

import dev.holdfast.internal.event.store.ClaimedEvent;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * The threads that handle what is claimed of one queue, as many events at a time as its
 * concurrency. Thread-safe.
 */
final class HandlerPool {
  /** Threads that only start async handlers. */
  private static final int MAX_STARTING = 4;

  private final int concurrency;
  private final int threads;

  /** How many more may be started; null if the number of threads is the limit. */
  private final @Nullable Semaphore slots;

  private final WorkerOptions settings;
  private final InstanceLease lease;
  private final HandlerInvoker invoker;
  private final InFlightEvents inFlight;
  private final Runnable onFree;
  private final LongAdder handled = new LongAdder();
  private final AtomicInteger busy = new AtomicInteger();
  private final ThreadFactory factory;
  private volatile boolean handling = true;

  /**
   * @param onFree is run when all were busy, and one is not any more
   */
  HandlerPool(
      String queue,
      int concurrency,
      WorkerOptions settings,
      InstanceLease lease,
      HandlerInvoker invoker,
      InFlightEvents inFlight,
      Runnable onFree) {
    this.concurrency = concurrency;
    boolean allAsynchronous = settings.asynchronous() == settings.handlers().size();
    this.threads = allAsynchronous ? Math.min(concurrency, MAX_STARTING) : concurrency;
    this.slots = settings.asynchronous() == 0 ? null : new Semaphore(concurrency);
    this.settings = settings;
    this.lease = lease;
    this.invoker = invoker;
    this.inFlight = inFlight;
    this.onFree = onFree;
    this.factory = WorkerThreads.handlers("holdfast-" + queue);
  }

  void start() {
    for (int i = 0; i < threads; i++) {
      startThread();
    }
  }

  private void startThread() {
    factory.newThread(this::handleUntilStopped).start();
  }

  /** Ends the threads once they are idle. */
  void stop() {
    handling = false;
  }

  /** How many are handling something now, those without a thread included. */
  int busy() {
    return busy.get();
  }

  /** How many events were handled so far. */
  long handled() {
    return handled.sum();
  }

  /** A handler was abandoned; if it has a thread, another one replaces it. */
  void abandoned(HandlerExecution from) {
    ended();
    if (!invoker.isAsync(from.type())) {
      startThread();
    }
  }

  private void handleUntilStopped() {
    boolean goOn = true;
    while (handling && goOn) {
      try {
        goOn = handleNext();
      } catch (InterruptedException e) {
        // it came too late for the handler that it was meant for
      }
    }
  }

  private boolean handleNext() throws InterruptedException {
    if (slots != null && !slots.tryAcquire(200, TimeUnit.MILLISECONDS)) {
      return true;
    }
    InFlightEvents.Held next = null;
    try {
      next = inFlight.takeNext();
    } finally {
      if (next == null && slots != null) {
        slots.release();
      }
    }
    return next == null || handle(next);
  }

  private boolean handle(InFlightEvents.Held next) {
    busy.incrementAndGet();
    inFlight.started(1);
    if (invoker.isAsync(next.event().type())) {
      startAsync(next);
      return true;
    }
    boolean goOn = handleBatch(next);
    // if it was abandoned in the meantime, it does not count any more
    if (goOn) {
      ended();
    }
    return goOn;
  }

  private void ended() {
    if (slots != null) {
      slots.release();
    }
    if (busy.getAndDecrement() >= concurrency) {
      onFree.run();
    }
  }

  private void startAsync(InFlightEvents.Held next) {
    AtomicBoolean first = new AtomicBoolean(true);
    HandlerInvoker.Ended end =
        failure -> {
          if (first.getAndSet(false)) {
            if (failure != null) {
              engineFailed(next.event(), failure);
            }
            handled.increment();
            ended();
          }
        };
    try {
      if (lease.isHeldBy(next.instance())) {
        invoker.start(next.event(), next.instance(), end);
      } else {
        invoker.requeue(next.event());
        end.run(null);
      }
    } catch (RuntimeException | Error e) {
      end.run(e);
    }
  }

  private boolean handleBatch(InFlightEvents.Held next) {
    List<ClaimedEvent> batch = List.of(next.event());
    try {
      int most = settings.most(next.event().type());
      batch = batch(next, most);
      if (!lease.isHeldBy(next.instance())) {
        batch.forEach(invoker::requeue);
        return true;
      }
      return invoker.handle(batch, next.instance());
    } catch (RuntimeException | Error e) {
      batch.forEach(event -> engineFailed(event, e));
      return true;
    } finally {
      handled.add(batch.size());
    }
  }

  private List<ClaimedEvent> batch(InFlightEvents.Held next, int most) {
    if (most == 1) {
      return List.of(next.event());
    }
    List<ClaimedEvent> batch = new ArrayList<>(List.of(next.event()));
    inFlight.takeSimilar(next, most - 1).forEach(held -> batch.add(held.event()));
    inFlight.started(batch.size() - 1);
    return batch;
  }

  private void engineFailed(ClaimedEvent event, Throwable failure) {
    try {
      invoker.engineFailed(event, failure);
    } catch (RuntimeException | Error again) {
      // the claimer requeues what this instance owns and does not know, once per lease
      inFlight.remove(event);
    }
  }
}
