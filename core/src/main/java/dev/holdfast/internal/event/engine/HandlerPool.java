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
 * The threads that begin what is claimed of one queue, as many at a time as its concurrency says.
 * Thread-safe.
 */
final class HandlerPool {
  /** Threads that only begin what goes on without one. */
  private static final int MAX_STARTING = 4;

  private final int concurrency;
  private final int threads;

  /** How many more may be begun; null where the threads say so. */
  private final @Nullable Semaphore slots;

  private final WorkerOptions settings;
  private final InstanceLease lease;
  private final HandlerInvoker execution;
  private final InFlightEvents hands;
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
      HandlerInvoker execution,
      InFlightEvents hands,
      Runnable onFree) {
    this.concurrency = concurrency;
    boolean allAsynchronous = settings.asynchronous() == settings.handlers().size();
    this.threads = allAsynchronous ? Math.min(concurrency, MAX_STARTING) : concurrency;
    this.slots = settings.asynchronous() == 0 ? null : new Semaphore(concurrency);
    this.settings = settings;
    this.lease = lease;
    this.execution = execution;
    this.hands = hands;
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

  /** Ends the threads once they are done. */
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

  /** An event is taken away from its handler; where that has a thread, another one replaces it. */
  void tookAway(HandlerExecution from) {
    ended();
    if (!execution.isAsynchronous(from.type())) {
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
      next = hands.next();
    } finally {
      if (next == null && slots != null) {
        slots.release();
      }
    }
    return next == null || handle(next);
  }

  private boolean handle(InFlightEvents.Held next) {
    busy.incrementAndGet();
    hands.begun(1);
    if (execution.isAsynchronous(next.event().type())) {
      begin(next);
      return true;
    }
    boolean goOn = handleWhatBelongsTo(next);
    // where it was given up meanwhile, it does not count any more
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

  private void begin(InFlightEvents.Held next) {
    AtomicBoolean first = new AtomicBoolean(true);
    AsyncInvocation.Ended end =
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
      if (lease.isHeldBy(next.owner())) {
        execution.begin(next.event(), next.owner(), end);
      } else {
        execution.giveBack(next.event());
        end.run(null);
      }
    } catch (RuntimeException | Error e) {
      end.run(e);
    }
  }

  private boolean handleWhatBelongsTo(InFlightEvents.Held next) {
    List<ClaimedEvent> batch = List.of(next.event());
    try {
      int most = settings.most(next.event().type());
      batch = batch(next, most);
      if (!lease.isHeldBy(next.owner())) {
        batch.forEach(execution::giveBack);
        return true;
      }
      return execution.handle(batch, next.owner());
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
    hands.alike(next, most - 1).forEach(held -> batch.add(held.event()));
    hands.begun(batch.size() - 1);
    return batch;
  }

  private void engineFailed(ClaimedEvent event, Throwable failure) {
    try {
      execution.engineFailed(event, failure);
    } catch (RuntimeException | Error again) {
      // the claimer gives back what this instance owns and does not know, once per lease
      hands.out(event);
    }
  }
}
