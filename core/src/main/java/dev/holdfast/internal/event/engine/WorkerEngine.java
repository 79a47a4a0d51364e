package dev.holdfast.internal.event.engine;

import dev.holdfast.Health;
import dev.holdfast.event.Worker;
import dev.holdfast.internal.Require;
import dev.holdfast.internal.event.store.LimitStatements;
import dev.holdfast.internal.sql.PoolSize;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The parts of a worker, and their order.
 *
 * <ul>
 *   <li>The heart renews the lease, and hears what is paused or to be cancelled. It keeps a
 *       connection of its own, so that it beats also where handlers have taken all others.
 *   <li>Events of instances that are gone are recovered apart from it, and what was done is told.
 *   <li>The watch stops handlers that take too long, and all of them when the lease has run out. It
 *       never waits for the database.
 *   <li>The {@link HistoryPruner} forgets what ended long ago.
 *   <li>A {@link QueueConsumer} for each queue claims and handles; the {@link BatchCompleter}
 *       stores.
 * </ul>
 */
final class WorkerEngine {
  private static final Logger LOG = LoggerFactory.getLogger(Worker.class);
  private static final int BEATS_PER_CLEANING = 100;
  private static final HealthIssue FINDING =
      new HealthIssue("worker-queue-lookup-failed", "looking for queues");
  private static final long WHEN_HEARING_MILLIS = 5000;
  private static final HealthIssue COUNTING =
      new HealthIssue("event-stats-not-stored", "storing statistics");
  private static final HealthIssue RECOVERING =
      new HealthIssue("event-recovery-failed", "recovering events of dead instances");
  private static final long WATCH_MILLIS = 20;
  static final long GRACE_NANOS = TimeUnit.SECONDS.toNanos(5);

  /** Parts of the grace of {@link #stop}: for handlers that are cancelled, and for what is left. */
  private static final long GRACE_TO_CANCEL_NANOS = TimeUnit.SECONDS.toNanos(2);

  private static final long GRACE_TO_STORE_NANOS = TimeUnit.SECONDS.toNanos(3);

  private final EventBackend home;
  private final ReservedConnection hearts;
  private final WorkerOptions settings;
  private final HealthIssues troubles = new HealthIssues();
  private final InstanceLease lease;
  private final WorkerCounters stats;
  private final HandlerCheck handlerCheck;
  private final BatchCompleter completer;
  private final HandlerInvoker execution;
  private final InstanceRecovery recovery;
  private final PayloadMemoryLimit room = PayloadMemoryLimit.ofThisJvm();
  private final QueueConsumers runners;
  private final List<Thread> threads = new ArrayList<>();
  private final Heartbeat heart;
  private final NotificationListener listener;
  private final HistoryPruner historyKeeper;
  private volatile boolean beating = true;
  private volatile boolean stopped;
  private volatile boolean abandoned;
  private volatile boolean cancelledByLoss;

  WorkerEngine(EventBackend given, WorkerOptions settings) {
    EventBackend home = given.within(settings.networkTimeout());
    this.hearts = new ReservedConnection(home.dataSource());
    this.home = home.over(hearts.dataSource()).within(settings.heartbeatTimeout());
    this.settings = settings;
    this.lease = new InstanceLease(this.home, settings.name(), settings.lease());
    // not for handlers, which may be silent between two statements of their transaction
    EventBackend steps =
        home.with(
            home.transactions()
                .idleTimeout(settings.lease())
                .lockTimeout(LimitStatements.MAX_WAIT));
    this.stats = new WorkerCounters(steps);
    this.handlerCheck = new HandlerCheck(home, settings, troubles);
    this.completer = new BatchCompleter(steps, this::out, troubles, stats);
    this.execution = new HandlerInvoker(home, settings, lease, completer, failure -> {});
    this.recovery = new InstanceRecovery(steps);
    this.listener = new NotificationListener(home, this::heard, troubles);
    this.historyKeeper = new HistoryPruner(home, settings.keepHistory());
    this.heart =
        new Heartbeat(
            this.home,
            hearts,
            settings,
            lease,
            execution,
            troubles,
            new Heartbeat.Reactions() {
              @Override
              public void begins() {
                historyKeeper.begin();
              }

              @Override
              public void leaseLost() {
                WorkerEngine.this.leaseLost();
              }

              @Override
              public void news() {
                wakeAll();
              }
            });
    this.runners =
        new QueueConsumers(
            home,
            settings,
            () -> heart.pauses().queues(),
            (queue, concurrency) -> runner(home, queue, concurrency));
  }

  /** The heart keeps one, whoever listens another, and the rest must share at least one. */
  static void requireConnections(EventBackend home) {
    int least = home.store().signals().exist() ? 3 : 2;
    PoolSize.of(home.dataSource())
        .ifPresent(
            size ->
                Require.that(
                    size >= least,
                    () ->
                        "the pool of a worker must have at least "
                            + least
                            + " connections, and better one more for each queue and each handler"
                            + " that uses one, had "
                            + size));
  }

  private QueueConsumer runner(EventBackend home, String queue, int concurrency) {
    InFlightEvents hands = new InFlightEvents(home.shards(), room);
    EventClaimer claimer =
        new EventClaimer(queue, home, settings, lease, hands, heart::pauses, heart::limits);
    return new QueueConsumer(
        queue,
        concurrency,
        settings,
        lease,
        execution,
        completer,
        hands,
        claimer,
        listener::hears,
        troubles);
  }

  private void out(Completion finished) {
    QueueConsumer runner = runners.of(finished.event().queue());
    if (runner != null) {
      runner.out(finished);
    }
    if (!heart.limits().all().isEmpty()) {
      runners.all().forEach(QueueConsumer::freed);
    }
    String orderingKey = finished.event().orderingKey();
    if (orderingKey != null && finished.ending() != null) {
      runners.all().stream()
          .filter(other -> other != runner)
          .forEach(other -> other.next(finished.event().shard(), orderingKey));
    }
  }

  void start() {
    begin("holdfast-heart", heart::run);
    begin("holdfast-recover", this::recoverUntilStopped);
    begin("holdfast-watch", this::watchUntilStopped);
    begin("holdfast-complete", completer::run);
    begin("holdfast-complete-locked", completer::runLocked);
    begin("holdfast-listen", listener::run);
    runners.start();
    if (settings.everyQueue() > 0) {
      begin("holdfast-queues", this::lookForQueuesUntilStopped);
    }
  }

  private void heard(String signal) {
    if (NotificationText.isQueue(signal)) {
      runners.heard(NotificationText.queueOf(signal));
    } else if (signal.equals(NotificationText.LOOK)) {
      heart.look();
    }
  }

  private void begin(String name, Runnable task) {
    Thread thread = WorkerThreads.platform(name).newThread(task);
    threads.add(thread);
    thread.start();
  }

  /** Never waits for the database. */
  Health health() {
    if (stopped) {
      return Health.stopped();
    }
    List<Health.Issue> issues = new ArrayList<>();
    boolean hasLease = lease.instance() != 0;
    Duration silence = lease.sinceLastHeartbeat();
    if (!hasLease) {
      issues.add(
          new Health.Issue(
              "worker-lease-not-held",
              "this instance has no lease, so it claims no events",
              silence));
    }
    if (silence.compareTo(settings.lease()) > 0) {
      issues.add(
          new Health.Issue(
              "worker-heartbeat-overdue",
              "the last heartbeat that succeeded is older than the lease of "
                  + settings.lease()
                  + ": "
                  + silence.truncatedTo(ChronoUnit.MILLIS),
              silence.minus(settings.lease())));
    }
    issues.addAll(troubles.now());
    Map<String, String> details = new LinkedHashMap<>();
    details.put("instance", settings.name());
    details.put("lease", hasLease ? "held" : "none");
    details.put("notifications", listener.hears() ? "listening" : "polling");
    details.put("in-flight", Integer.toString(inHands()));
    return hasLease
        ? Health.running(issues, details)
        : new Health(Health.Status.DOWN, issues, details);
  }

  int inHands() {
    return runners.all().stream().mapToInt(QueueConsumer::inHands).sum();
  }

  /** Events may be due anywhere, also before those that were claimed last. */
  private void wakeAll() {
    runners.all().forEach(QueueConsumer::wakeFromStart);
  }

  /** Apart from the heart, because there may be much to recover. */
  private void recoverUntilStopped() {
    for (long rounds = 0; beating; rounds++) {
      storeStats();
      try {
        if (lease.isSteady()) {
          if (recovery.recover(() -> beating && lease.isSteady())) {
            wakeAll();
          }
          if (rounds % BEATS_PER_CLEANING == 0) {
            recovery.forgetInstances();
          }
        }
        troubles.over(RECOVERING);
      } catch (RuntimeException | Error e) {
        troubles.failed(RECOVERING, e);
      }
      sleep(TimeUnit.NANOSECONDS.toMillis(settings.lease().toNanos() / Heartbeat.BEATS_PER_LEASE));
    }
  }

  /** Announcements tell of new ones at once, where there are some; this finds the others. */
  private void lookForQueuesUntilStopped() {
    while (beating) {
      try {
        runners.look();
        troubles.over(FINDING);
      } catch (RuntimeException | Error e) {
        troubles.failed(FINDING, e);
      }
      sleep(listener.hears() ? WHEN_HEARING_MILLIS : settings.poll().toMillis());
    }
  }

  private void storeStats() {
    try {
      stats.store(lease.instance());
      handlerCheck.run(lease.instance());
      troubles.over(COUNTING);
    } catch (RuntimeException | Error e) {
      troubles.failed(COUNTING, e);
    }
  }

  private void watchUntilStopped() {
    boolean held = false;
    while (!stopped) {
      try {
        boolean now = lease.instance() != 0;
        if (held && !now) {
          leaseLost();
        }
        held = now;
        stopTheLate();
      } catch (RuntimeException | Error e) {
        LOG.error(
            "worker-task-failed: a check for timeouts and a lost lease of worker '{}' failed;"
                + " repeated in {} ms",
            settings.name(),
            WATCH_MILLIS,
            e);
      }
      sleep(WATCH_MILLIS);
    }
  }

  private void stopTheLate() {
    long time = System.nanoTime();
    for (HandlerExecution running : execution.running()) {
      long limit = running.spec.timeout().toNanos();
      long age = time - running.startedNanos;
      if (age > limit) {
        running.stop(HandlerExecution.Stop.TIMEOUT);
      }
      if (age > limit + GRACE_NANOS) {
        takeAway(running);
      }
    }
  }

  private void takeAway(HandlerExecution running) {
    QueueConsumer runner = runners.of(running.event.queue());
    if (execution.takeAway(running) && running.leader == running && runner != null) {
      runner.tookAway(running);
    }
  }

  private void leaseLost() {
    // what is not begun is dropped when a handler would begin it
    for (HandlerExecution running : execution.running()) {
      if (!running.isOwned()) {
        running.stop(HandlerExecution.Stop.LEASE_LOST);
        cancelledByLoss = true;
      }
    }
  }

  /**
   * Waits for the handlers and the database until the limit, and then no longer than the grace,
   * whatever the database does: what hangs then is left to its thread, the lease runs out by
   * itself, and others recover the events.
   */
  boolean stop(Duration limit) {
    synchronized (this) {
      if (stopped) {
        return true;
      }
      long end = System.nanoTime() + limit.toNanos();
      cancelledByLoss = false;
      runners.close();
      runners.all().forEach(QueueConsumer::stopClaiming);
      long now = System.nanoTime();
      long claimed = now + Math.min(GRACE_NANOS, end - now + GRACE_TO_CANCEL_NANOS);
      runners.all().forEach(runner -> runner.awaitClaimer(claimed));
      boolean complete = await(end);
      if (!complete) {
        execution.running().forEach(running -> running.stop(HandlerExecution.Stop.WORKER_STOPS));
        await(end + GRACE_TO_CANCEL_NANOS);
      }
      runners.all().forEach(QueueConsumer::stopHandling);
      completer.stop();
      join("holdfast-complete", end + GRACE_TO_STORE_NANOS);
      beating = false;
      heart.stop();
      stopped = true;
      listener.stop();
      threads.forEach(Thread::interrupt);
      Thread closing = WorkerThreads.platform("holdfast-stop").newThread(this::close);
      closing.start();
      if (!join(closing, end + GRACE_NANOS)) {
        LOG.warn(
            "worker-stop-timeout: worker '{}' stopped without a response of the database; its lease"
                + " expires, then other instances recover its events",
            settings.name());
        abandoned = true;
        hearts.abort();
        closing.interrupt();
      }
      return complete && !cancelledByLoss;
    }
  }

  /** Everything at the end that waits for the database. */
  private void close() {
    long soon = System.nanoTime() + GRACE_TO_CANCEL_NANOS;
    listener.wake();
    // they give their connections back, to a pool that may be about to be closed
    historyKeeper.stop().ifPresent(thread -> join(thread, soon));
    join("holdfast-listen", soon);
    join("holdfast-recover", soon);
    join("holdfast-queues", soon);
    if (!join("holdfast-heart", System.nanoTime() + GRACE_TO_CANCEL_NANOS)) {
      hearts.abort();
      join("holdfast-heart", System.nanoTime() + GRACE_TO_CANCEL_NANOS);
    }
    if (!abandoned) {
      storeStats();
    }
    if (!abandoned) {
      release();
    }
    hearts.giveBack();
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

  /** Answers whether they have ended by then. */
  private boolean join(String name, long endNanos) {
    boolean ended = true;
    for (Thread thread : threads) {
      if (thread.getName().startsWith(name)) {
        ended &= join(thread, endNanos);
      }
    }
    return ended;
  }

  static boolean join(Thread thread, long endNanos) {
    try {
      thread.join(Math.max(1, TimeUnit.NANOSECONDS.toMillis(endNanos - System.nanoTime())));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return !thread.isAlive();
  }

  private void release() {
    try {
      lease.release();
      // what was given back
      home.tellOthersToLook();
    } catch (RuntimeException e) {
      LOG.warn(
          "worker-release-failed: could not release the lease of worker '{}'; it expires: {}",
          settings.name(),
          HealthIssues.text(e));
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
