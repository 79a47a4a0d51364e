package dev.holdfast.event;

import dev.holdfast.event.internal.Claimed;
import dev.holdfast.event.internal.Rescued;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The parts of a worker, and their order.
 *
 * <ul>
 *   <li>The heart renews the lease, recovers events of instances that are gone, and hears what is
 *       paused or to be cancelled.
 *   <li>The watch stops handlers that take too long, and all of them when the lease has run out. It
 *       never waits for the database.
 *   <li>A {@link QueueRunner} for each queue claims and handles; the {@link Completer} stores.
 * </ul>
 */
final class Engine {
  private static final Logger LOG = LoggerFactory.getLogger(Worker.class);
  private static final int BEATS_PER_LEASE = 5;
  private static final int BEATS_PER_CLEANING = 100;
  private static final int RESCUE_BATCH = 500;
  private static final Duration INSTANCES_KEPT = Duration.ofDays(1);
  private static final long WATCH_MILLIS = 20;
  private static final long GRACE_NANOS = TimeUnit.SECONDS.toNanos(5);

  private final EventHome home;
  private final WorkerSettings settings;
  private final InstanceLease lease;
  private final Completer completer;
  private final Execution execution;
  private final Map<String, QueueRunner> runners = new LinkedHashMap<>();
  private final List<Thread> threads = new ArrayList<>();
  private final Semaphore looks = new Semaphore(0);
  private final Listener listener;
  private volatile Pauses pauses = Pauses.NONE;
  private volatile Limits limits = Limits.NONE;
  private long beats;
  private volatile boolean beating = true;
  private volatile boolean stopped;

  Engine(EventHome home, WorkerSettings settings) {
    this.home = home;
    this.settings = settings;
    this.lease = new InstanceLease(home, settings.name(), settings.lease());
    this.completer = new Completer(home, this::out);
    this.execution = new Execution(home, settings, lease, completer);
    this.listener = new Listener(home, this::heard);
    settings
        .queues()
        .forEach((queue, concurrency) -> runners.put(queue, runner(queue, concurrency)));
  }

  private QueueRunner runner(String queue, int concurrency) {
    Hands hands = new Hands(home.shards());
    Claimer claimer = new Claimer(queue, home, settings, lease, hands, () -> pauses, () -> limits);
    return new QueueRunner(
        queue, concurrency, settings, lease, execution, completer, hands, claimer, listener::hears);
  }

  private void out(Claimed event) {
    QueueRunner runner = runners.get(event.queue());
    if (runner != null) {
      runner.out(event);
    }
    if (!limits.all().isEmpty()) {
      runners.values().forEach(QueueRunner::freed);
    }
  }

  void start() {
    begin("holdfast-heart", this::beatUntilStopped);
    begin("holdfast-watch", this::watchUntilStopped);
    begin("holdfast-complete", completer::run);
    begin("holdfast-listen", listener::run);
    runners.values().forEach(QueueRunner::start);
  }

  private void heard(String signal) {
    if (Signal.isQueue(signal)) {
      QueueRunner runner = runners.get(Signal.queueOf(signal));
      if (runner != null) {
        runner.wake();
      }
    } else if (signal.equals(Signal.LOOK)) {
      looks.release();
    }
  }

  private void begin(String name, Runnable task) {
    Thread thread = WorkerThreads.platform(name).newThread(task);
    threads.add(thread);
    thread.start();
  }

  boolean isHealthy() {
    return !stopped && lease.instance() != 0;
  }

  int inHands() {
    return runners.values().stream().mapToInt(QueueRunner::inHands).sum();
  }

  private void beatUntilStopped() {
    while (beating) {
      try {
        if (lease.instance() == 0) {
          // before anything is claimed
          readOrders();
        }
        if (lease.beat()) {
          leaseLost();
        }
        lookAround();
        forgetInstances();
      } catch (RuntimeException e) {
        LOG.warn("the heart of the worker '{}' missed a beat: {}", settings.name(), e.toString());
      }
      waitForNextBeat();
    }
  }

  /** Until it is time, or somebody says that there is something to look at. */
  private void waitForNextBeat() {
    long end = System.nanoTime() + settings.lease().toNanos() / BEATS_PER_LEASE;
    while (beating) {
      try {
        long left = end - System.nanoTime();
        if (left <= 0 || !looks.tryAcquire(left, TimeUnit.NANOSECONDS)) {
          return;
        }
        looks.drainPermits();
        lookAround();
      } catch (InterruptedException e) {
        // only stopping ends it
      } catch (RuntimeException e) {
        LOG.warn("the worker '{}' could not look around: {}", settings.name(), e.toString());
      }
    }
  }

  private void lookAround() {
    readOrders();
    runners.values().forEach(QueueRunner::wake);
    cancelRequested();
    rescue();
  }

  /** What all instances have to keep. */
  private void readOrders() {
    pauses = Pauses.of(home.step(() -> "reading what is paused", home.store()::paused));
    limits = Limits.of(home.step(() -> "reading what is limited", home.store().limits()::all));
  }

  private void cancelRequested() {
    if (execution.running().isEmpty()) {
      return;
    }
    for (int shard = 0; shard < home.shards(); shard++) {
      int of = shard;
      Set<Long> begun =
          execution.running().stream()
              .filter(running -> running.event.shard() == of)
              .map(running -> running.event.id())
              .collect(Collectors.toSet());
      Set<Long> wanted =
          home.step(() -> "reading cancellations", c -> home.store().cancelRequested(c, of, begun));
      for (Running running : execution.running()) {
        if (running.event.shard() == shard && wanted.contains(running.event.id())) {
          running.stop(Running.Stop.CANCEL_REQUESTED);
        }
      }
    }
  }

  private void rescue() {
    List<Long> expired = home.step(() -> "looking for dead instances", home.store()::expired);
    if (expired.isEmpty()) {
      return;
    }
    for (int shard = 0; shard < home.shards(); shard++) {
      int of = shard;
      Rescued rescued;
      do {
        rescued =
            home.step(
                () -> "recovering events of dead instances",
                c -> home.store().rescue(c, of, expired, settings.mostCrashes(), RESCUE_BATCH));
        if (rescued.sum() > 0) {
          LOG.warn(
              "recovered events of dead instances: {} are pending again, {} have failed",
              rescued.pending(),
              rescued.failed());
          runners.values().forEach(QueueRunner::wake);
        }
      } while (rescued.sum() > 0);
    }
  }

  /** Now and then: it looks at each of them, and there may be many after some deployments. */
  private void forgetInstances() {
    if (beats++ % BEATS_PER_CLEANING == 0) {
      home.call(
          () -> "forgetting dead instances",
          c -> home.store().forgetInstances(c, home.shards(), INSTANCES_KEPT));
    }
  }

  private void watchUntilStopped() {
    boolean held = false;
    while (!stopped) {
      boolean now = lease.instance() != 0;
      if (held && !now) {
        leaseLost();
      }
      held = now;
      long time = System.nanoTime();
      for (Running running : execution.running()) {
        long limit = running.spec.timeout().toNanos();
        long age = time - running.startedNanos;
        if (age > limit) {
          running.stop(Running.Stop.TIMEOUT);
        }
        if (age > limit + GRACE_NANOS) {
          takeAway(running);
        }
      }
      sleep(WATCH_MILLIS);
    }
  }

  private void takeAway(Running running) {
    QueueRunner runner = runners.get(running.event.queue());
    if (execution.takeAway(running) && running.leader == running && runner != null) {
      runner.startHandler();
    }
  }

  private void leaseLost() {
    // what is not begun is dropped when a handler would begin it
    for (Running running : execution.running()) {
      if (!running.isOwned()) {
        running.stop(Running.Stop.LEASE_LOST);
      }
    }
  }

  boolean stop(Duration limit) {
    synchronized (this) {
      if (stopped) {
        return true;
      }
      long end = System.nanoTime() + limit.toNanos();
      runners.values().forEach(QueueRunner::stopClaiming);
      long claimed = System.nanoTime() + GRACE_NANOS;
      runners.values().forEach(runner -> runner.awaitClaimer(claimed));
      boolean complete = await(end);
      if (!complete) {
        execution.running().forEach(running -> running.stop(Running.Stop.WORKER_STOPS));
        await(System.nanoTime() + GRACE_NANOS);
      }
      runners.values().forEach(QueueRunner::stopHandling);
      completer.stop();
      join("holdfast-complete");
      beating = false;
      stopped = true;
      listener.stop();
      threads.forEach(Thread::interrupt);
      release();
      return complete;
    }
  }

  /** Waits until no event is in the hands of this worker. */
  private boolean await(long endNanos) {
    while (inHands() > 0) {
      if (System.nanoTime() - endNanos > 0) {
        return false;
      }
      sleep(2);
    }
    return true;
  }

  private void join(String name) {
    for (Thread thread : threads) {
      if (thread.getName().startsWith(name)) {
        try {
          thread.join(TimeUnit.SECONDS.toMillis(10));
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
        }
      }
    }
  }

  private void release() {
    try {
      lease.release();
    } catch (RuntimeException e) {
      LOG.warn("the lease could not be ended and runs out by itself: {}", e.toString());
    }
  }

  private static void sleep(long millis) {
    try {
      Thread.sleep(Math.max(1, millis));
    } catch (InterruptedException e) {
      // only stopping ends it
    }
  }
}
