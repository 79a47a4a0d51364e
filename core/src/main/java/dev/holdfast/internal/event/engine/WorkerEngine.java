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
 *   <li>The {@link Heartbeat} renews the lease, and reads what is paused, limited or to be
 *       cancelled.
 *   <li>Apart from it, events of dead instances are recovered, and statistics are stored.
 *   <li>The watch stops handlers that take too long, and all of them when the lease has expired. It
 *       never waits for the database.
 *   <li>The {@link HistoryPruner} deletes what ended long ago.
 *   <li>A {@link QueueConsumer} for each queue claims and handles; the {@link BatchCompleter}
 *       stores.
 * </ul>
 */
final class WorkerEngine {
  private static final Logger LOG = LoggerFactory.getLogger(Worker.class);
  private static final int ROUNDS_PER_CLEANUP = 100;
  private static final HealthIssue FINDING =
      new HealthIssue("worker-queue-lookup-failed", "looking for queues");
  private static final long IF_LISTENING_MILLIS = 5000;
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
  private final ReservedConnection heartbeatConnection;
  private final WorkerOptions settings;
  private final HealthIssues issues = new HealthIssues();
  private final InstanceLease lease;
  private final WorkerCounters stats;
  private final HandlerCheck handlerCheck;
  private final BatchCompleter completer;
  private final HandlerInvoker invoker;
  private final InstanceRecovery recovery;
  private final PayloadMemoryLimit memory = PayloadMemoryLimit.ofThisJvm();
  private final QueueConsumers consumers;
  private final List<Thread> threads = new ArrayList<>();
  private final Heartbeat heartbeat;
  private final NotificationListener listener;
  private final HistoryPruner pruner;
  private volatile boolean active = true;
  private volatile boolean stopped;
  private volatile boolean abandoned;
  private volatile boolean cancelledByLoss;

  WorkerEngine(EventBackend given, WorkerOptions settings) {
    EventBackend home = given.within(settings.networkTimeout());
    this.heartbeatConnection = new ReservedConnection(home.dataSource());
    this.home = home.over(heartbeatConnection.dataSource()).within(settings.heartbeatTimeout());
    this.settings = settings;
    this.lease = new InstanceLease(this.home, settings.name(), settings.lease());
    // not for handlers, which may be silent between two statements of their transaction
    EventBackend steps =
        home.with(
            home.transactions()
                .idleTimeout(settings.lease())
                .lockTimeout(LimitStatements.MAX_WAIT));
    this.stats = new WorkerCounters(steps);
    this.handlerCheck = new HandlerCheck(home, settings, issues);
    this.completer = new BatchCompleter(steps, this::completed, issues, stats);
    this.invoker = new HandlerInvoker(home, settings, lease, completer, failure -> {});
    this.recovery = new InstanceRecovery(steps);
    this.listener = new NotificationListener(home, this::notified, issues);
    this.pruner = new HistoryPruner(home, settings.keepHistory());
    this.heartbeat =
        new Heartbeat(
            this.home,
            heartbeatConnection,
            settings,
            lease,
            invoker,
            issues,
            new Heartbeat.Reactions() {
              @Override
              public void starting() {
                pruner.start();
              }

              @Override
              public void leaseLost() {
                WorkerEngine.this.leaseLost();
              }

              @Override
              public void changed() {
                wakeAll();
              }
            });
    this.consumers =
        new QueueConsumers(
            home,
            settings,
            () -> heartbeat.controls().pausedQueues(),
            (queue, concurrency) -> consumer(home, queue, concurrency));
  }

  /** The heartbeat keeps one, the listener another, and the rest must share at least one. */
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

  private QueueConsumer consumer(EventBackend home, String queue, int concurrency) {
    InFlightEvents inFlight = new InFlightEvents(home.shards(), memory);
    EventClaimer claimer =
        new EventClaimer(queue, home, settings, lease, inFlight, heartbeat::controls);
    return new QueueConsumer(
        queue,
        concurrency,
        settings,
        lease,
        invoker,
        completer,
        inFlight,
        claimer,
        listener::isListening,
        issues);
  }

  private void completed(Completion completion) {
    QueueConsumer consumer = consumers.of(completion.event().queue());
    if (consumer != null) {
      consumer.completed(completion);
    }
    if (!heartbeat.controls().limits().isEmpty()) {
      consumers.all().forEach(QueueConsumer::limitReleased);
    }
    String orderingKey = completion.event().orderingKey();
    if (orderingKey != null && completion.update() != null) {
      consumers.all().stream()
          .filter(other -> other != consumer)
          .forEach(other -> other.orderingKeyReleased(completion.event().shard(), orderingKey));
    }
  }

  void start() {
    startThread("holdfast-heart", heartbeat::run);
    startThread("holdfast-recover", this::recoverUntilStopped);
    startThread("holdfast-watch", this::watchUntilStopped);
    startThread("holdfast-complete", completer::run);
    startThread("holdfast-complete-locked", completer::runLocked);
    startThread("holdfast-listen", listener::run);
    consumers.start();
    if (settings.everyQueue() > 0) {
      startThread("holdfast-queues", this::findQueuesUntilStopped);
    }
  }

  private void notified(String notification) {
    EventNotifier.queueOf(notification).ifPresent(consumers::notified);
    if (notification.equals(EventNotifier.CHANGED)) {
      heartbeat.notified();
    }
  }

  private void startThread(String name, Runnable task) {
    Thread thread = WorkerThreads.platform(name).newThread(task);
    threads.add(thread);
    thread.start();
  }

  /** Never waits for the database. */
  Health health() {
    if (stopped) {
      return Health.stopped();
    }
    List<Health.Issue> all = new ArrayList<>();
    boolean hasLease = lease.instance() != 0;
    Duration silence = lease.sinceLastHeartbeat();
    if (!hasLease) {
      all.add(
          new Health.Issue(
              "worker-lease-not-held",
              "this instance has no lease, so it claims no events",
              silence));
    }
    if (silence.compareTo(settings.lease()) > 0) {
      all.add(
          new Health.Issue(
              "worker-heartbeat-overdue",
              "the last heartbeat that succeeded is older than the lease of "
                  + settings.lease()
                  + ": "
                  + silence.truncatedTo(ChronoUnit.MILLIS),
              silence.minus(settings.lease())));
    }
    all.addAll(issues.now());
    Map<String, String> details = new LinkedHashMap<>();
    details.put("instance", settings.name());
    details.put("lease", hasLease ? "held" : "none");
    details.put("notifications", listener.isListening() ? "listening" : "polling");
    details.put("in-flight", Integer.toString(inFlight()));
    return hasLease ? Health.running(all, details) : new Health(Health.Status.DOWN, all, details);
  }

  int inFlight() {
    return consumers.all().stream().mapToInt(QueueConsumer::inFlight).sum();
  }

  /** Events may be due anywhere, also before those that were claimed last. */
  private void wakeAll() {
    consumers.all().forEach(QueueConsumer::pollFromStart);
  }

  /** Apart from the heartbeat, because there may be much to recover. */
  private void recoverUntilStopped() {
    for (long rounds = 0; active; rounds++) {
      storeStats();
      try {
        if (lease.isSteady()) {
          if (recovery.recover(() -> active && lease.isSteady())) {
            wakeAll();
          }
          if (rounds % ROUNDS_PER_CLEANUP == 0) {
            recovery.deleteExpiredInstances();
          }
        }
        issues.over(RECOVERING);
      } catch (RuntimeException | Error e) {
        issues.failed(RECOVERING, e);
      }
      sleep(TimeUnit.NANOSECONDS.toMillis(settings.lease().toNanos() / Heartbeat.PER_LEASE));
    }
  }

  /** New ones are notified at once, if the database notifies; this finds the others. */
  private void findQueuesUntilStopped() {
    while (active) {
      try {
        consumers.findQueues();
        issues.over(FINDING);
      } catch (RuntimeException | Error e) {
        issues.failed(FINDING, e);
      }
      sleep(listener.isListening() ? IF_LISTENING_MILLIS : settings.poll().toMillis());
    }
  }

  private void storeStats() {
    try {
      stats.store(lease.instance());
      handlerCheck.run(lease.instance());
      issues.over(COUNTING);
    } catch (RuntimeException | Error e) {
      issues.failed(COUNTING, e);
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
    for (HandlerExecution running : invoker.running()) {
      long limit = running.handler.timeout().toNanos();
      long age = time - running.startedNanos;
      if (age > limit) {
        running.stop(HandlerExecution.Stop.TIMEOUT);
      }
      if (age > limit + GRACE_NANOS) {
        abandon(running);
      }
    }
  }

  private void abandon(HandlerExecution running) {
    QueueConsumer consumer = consumers.of(running.event.queue());
    if (invoker.abandon(running) && running.leader == running && consumer != null) {
      consumer.abandoned(running);
    }
  }

  private void leaseLost() {
    // what is not begun is dropped when a handler would begin it
    for (HandlerExecution running : invoker.running()) {
      if (!running.isOwned()) {
        running.stop(HandlerExecution.Stop.LEASE_LOST);
        cancelledByLoss = true;
      }
    }
  }

  /**
   * Waits for the handlers and the database until the limit, and then no longer than the grace,
   * whatever the database does: what hangs then is left to its thread, the lease expires by itself,
   * and others recover the events.
   */
  boolean stop(Duration limit) {
    synchronized (this) {
      if (stopped) {
        return true;
      }
      long end = System.nanoTime() + limit.toNanos();
      cancelledByLoss = false;
      consumers.close();
      consumers.all().forEach(QueueConsumer::stopClaiming);
      long now = System.nanoTime();
      long claimed = now + Math.min(GRACE_NANOS, end - now + GRACE_TO_CANCEL_NANOS);
      consumers.all().forEach(consumer -> consumer.awaitClaimer(claimed));
      boolean complete = await(end);
      if (!complete) {
        invoker.running().forEach(running -> running.stop(HandlerExecution.Stop.WORKER_STOPS));
        await(end + GRACE_TO_CANCEL_NANOS);
      }
      consumers.all().forEach(QueueConsumer::stopHandling);
      completer.stop();
      join("holdfast-complete", end + GRACE_TO_STORE_NANOS);
      active = false;
      heartbeat.stop();
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
        heartbeatConnection.abort();
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
    pruner.stop().ifPresent(thread -> join(thread, soon));
    join("holdfast-listen", soon);
    join("holdfast-recover", soon);
    join("holdfast-queues", soon);
    if (!join("holdfast-heart", System.nanoTime() + GRACE_TO_CANCEL_NANOS)) {
      heartbeatConnection.abort();
      join("holdfast-heart", System.nanoTime() + GRACE_TO_CANCEL_NANOS);
    }
    if (!abandoned) {
      storeStats();
    }
    if (!abandoned) {
      release();
    }
    heartbeatConnection.release();
  }

  /** Waits until no event is in flight. */
  private boolean await(long endNanos) {
    while (inFlight() > 0) {
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
      // of the events that were requeued
      home.notifyAllWorkers();
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
