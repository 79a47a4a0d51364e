package dev.holdfast.internal.event.engine;

import dev.holdfast.event.Worker;
import dev.holdfast.internal.event.store.LimitLockedException;
import dev.holdfast.internal.event.store.LimitStatements;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Claims events of one queue for its handlers. One thread polls: when it is notified, when an event
 * comes due, and from time to time in any case. The {@link PrefetchController} decides how many
 * events a poll claims, the {@link EventClaimer} claims them, and the {@link HandlerPool} handles
 * them.
 */
final class QueueConsumer {
  private static final Logger LOG = LoggerFactory.getLogger(Worker.class);
  private static final long MAX_DELAY_MILLIS = 2000;

  /** A little longer than the time in which a scheduler notifies once; see EventNotifier. */
  private static final long NOTIFIED_NANOS = TimeUnit.MILLISECONDS.toNanos(30);

  /** How much later others may commit events without a notification, and still be found soon. */
  private static final long MAX_COMMIT_NANOS = TimeUnit.SECONDS.toNanos(2);

  private static final Duration INTERVAL_IF_LISTENING = Duration.ofSeconds(5);

  private final String queue;
  private final BatchCompleter completer;
  private final EventClaimer claimer;
  private final InFlightEvents inFlight;
  private final HandlerPool handlers;
  private final PrefetchController prefetch;
  private final BooleanSupplier listening;
  private final Duration pollInterval;
  private final HealthIssues issues;
  private final Thread claimerThread;
  private final Semaphore woken = new Semaphore(0);
  private volatile long notifiedNanos = System.nanoTime() - MAX_COMMIT_NANOS;
  private volatile boolean pollRequested = true;
  private volatile boolean claiming = true;

  /** Only for the claiming thread. */
  private long nextPollNanos = System.nanoTime();

  private boolean polledLast;

  QueueConsumer(
      String queue,
      int concurrency,
      WorkerOptions settings,
      InstanceLease lease,
      HandlerInvoker invoker,
      BatchCompleter completer,
      InFlightEvents inFlight,
      EventClaimer claimer,
      BooleanSupplier listening,
      HealthIssues issues) {
    this.queue = queue;
    this.completer = completer;
    this.inFlight = inFlight;
    this.claimer = claimer;
    this.listening = listening;
    this.pollInterval = settings.poll();
    this.issues = issues;
    this.handlers =
        new HandlerPool(queue, concurrency, settings, lease, invoker, inFlight, this::wake);
    this.prefetch =
        new PrefetchController(
            handlers, inFlight, concurrency, settings.maxBatchSize(), this::requeue);
    this.claimerThread =
        WorkerThreads.platform("holdfast-claim-" + queue).newThread(this::claimUntilStopped);
  }

  void start() {
    claimerThread.start();
    handlers.start();
  }

  private void claimUntilStopped() {
    HealthIssue doing =
        new HealthIssue("event-claim-failed", "claiming from the queue '" + queue + "'");
    HealthIssue limited =
        new HealthIssue(
            "event-limit-locked", "claiming under a limit from the queue '" + queue + "'");
    int failures = 0;
    while (claiming) {
      try {
        claimOrWait();
        failures = 0;
        issues.over(doing);
        issues.over(limited);
      } catch (InterruptedException e) {
        // only stopping ends it
      } catch (LimitLockedException e) {
        requestPoll();
        if (issues.failed(limited, e)) {
          LOG.warn(
              "event-limit-locked: could not claim from queue '{}'; retrying: {}",
              queue,
              e.getMessage());
        }
        // without a connection, which other queues may need
        pause(LimitStatements.MAX_WAIT.toMillis());
      } catch (RuntimeException | Error e) {
        failures++;
        requestPoll();
        if (issues.failed(doing, e)) {
          LOG.warn(
              "event-claim-failed: could not claim from queue '{}'; retrying: {}",
              queue,
              HealthIssues.text(e));
        }
        pause(Math.min(MAX_DELAY_MILLIS, 20L << Math.min(failures, 8)));
      }
    }
    requeueWaiting();
  }

  private static void pause(long millis) {
    try {
      Thread.sleep(ThreadLocalRandom.current().nextLong(millis) + 1);
    } catch (InterruptedException e) {
      // only stopping ends it
    }
  }

  private void claimOrWait() throws InterruptedException {
    int wanted = prefetch.now();
    if (wanted == 0) {
      // all busy: the next handler that is not wakes this up
      await(prefetch.isIdle() ? 1 : 20, TimeUnit.MILLISECONDS);
    } else if ((polledLast || !isTimeToPoll()) && claimer.claimReleased(wanted)) {
      // long backlogs of ordering keys must not keep it from polling for all others
      polledLast = false;
    } else if (isTimeToPoll()) {
      poll(wanted);
    } else {
      await(Math.max(0, nextPollNanos - System.nanoTime()), TimeUnit.NANOSECONDS);
    }
  }

  private boolean isTimeToPoll() {
    return pollRequested || nextPollNanos - System.nanoTime() <= 0;
  }

  private void await(long timeout, TimeUnit unit) throws InterruptedException {
    boolean unused = woken.tryAcquire(timeout, unit);
  }

  private void poll(int wanted) {
    polledLast = true;
    // this poll may miss what is requested from now on
    pollRequested = false;
    nextPollNanos = System.nanoTime();
    if (!claimer.claim(wanted, prefetch.room())) {
      nextPollNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millisUntilNextPoll());
    }
  }

  /** After a poll that has left nothing to claim. */
  private long millisUntilNextPoll() {
    Duration longest = listening.getAsBoolean() ? INTERVAL_IF_LISTENING : pollInterval;
    Optional<Duration> limited = claimer.limitedFor();
    if (limited.isPresent()) {
      return Math.min(limited.get().toMillis(), longest.toMillis()) + 1;
    }
    long millis = Math.max(0, claimer.untilNextDueSinceClaim(longest).toMillis()) + 1;
    long sinceNotified = System.nanoTime() - notifiedNanos;
    if (sinceNotified < MAX_COMMIT_NANOS) {
      // others that did not notify because of this one may commit much later than it
      long again = Math.max(NOTIFIED_NANOS - sinceNotified, sinceNotified);
      return Math.min(millis, TimeUnit.NANOSECONDS.toMillis(again) + 1);
    }
    // not all at the same moment, after something has held up all of them
    return millis < longest.toMillis()
        ? millis
        : millis - ThreadLocalRandom.current().nextLong(millis / 5);
  }

  /** Makes the claiming thread check what it can do, which need not be a poll. */
  private void wake() {
    if (woken.availablePermits() == 0) {
      woken.release();
    }
  }

  private void requestPoll() {
    pollRequested = true;
    wake();
  }

  /** There may be something to claim anywhere in the queue, also before what was claimed last. */
  void pollFromStart() {
    claimer.startOver();
    requestPoll();
  }

  /** A new event was notified; for a while no other one is. */
  void notified() {
    notifiedNanos = System.nanoTime();
    requestPoll();
  }

  /** The outcome of an event of this queue is stored. */
  void completed(Completion completion) {
    inFlight.remove(completion.event());
    // it may be due again, or the next one of its ordering key, and nothing else notifies of it
    String orderingKey = completion.event().orderingKey();
    if (completion.requeue() != null) {
      requestPoll();
    } else if (orderingKey != null) {
      orderingKeyReleased(completion.event().shard(), orderingKey);
    }
  }

  /** It may be the turn of another event of this ordering key, in whatever queue it is. */
  void orderingKeyReleased(int shard, String orderingKey) {
    if (claimer.released(shard, orderingKey)) {
      wake();
    } else {
      requestPoll();
    }
  }

  /** An event of this worker has ended or was requeued, so that a limit may permit more. */
  void limitReleased() {
    if (claimer.mayBeLimited()) {
      requestPoll();
    }
  }

  /** An event was abandoned by this worker although its handler still runs. */
  void abandoned(HandlerExecution execution) {
    handlers.abandoned(execution);
  }

  int inFlight() {
    return inFlight.size();
  }

  /** Claims no more, and requeues what is not started. */
  void stopClaiming() {
    claiming = false;
    requestPoll();
    requeueWaiting();
  }

  private void requeueWaiting() {
    inFlight.takeWaiting().forEach(this::requeue);
  }

  private void requeue(InFlightEvents.Held held) {
    completer.add(Completion.requeue(held.event()));
  }

  /** Waits for a running claim: what it brings is in flight, too. */
  void awaitClaimer(long endNanos) {
    try {
      claimerThread.join(Math.max(1, TimeUnit.NANOSECONDS.toMillis(endNanos - System.nanoTime())));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    // it may be waiting for a connection
    claimerThread.interrupt();
  }

  /** Whether it has ended what {@link #stopClaiming} asked it to end. */
  boolean hasStoppedClaiming() {
    return !claimerThread.isAlive();
  }

  /** Ends the threads of the handlers once they are idle. */
  void stopHandling() {
    handlers.stop();
  }
}
