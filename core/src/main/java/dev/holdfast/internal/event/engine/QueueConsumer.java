package dev.holdfast.internal.event.engine;

import dev.holdfast.event.Worker;
import dev.holdfast.internal.event.store.LimitLockedException;
import dev.holdfast.internal.event.store.LimitStatements;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Claims events of one queue ahead of its handlers, and hands them over: {@link PollTimer} says
 * when, {@link PrefetchController} how many, {@link HandlerPool} do the rest. One thread claims.
 */
final class QueueConsumer {
  private static final Logger LOG = LoggerFactory.getLogger(Worker.class);
  private static final long MAX_DELAY_MILLIS = 2000;

  private final String queue;
  private final BatchCompleter completer;
  private final EventClaimer claimer;
  private final InFlightEvents hands;
  private final PollTimer looks;
  private final HandlerPool handlers;
  private final PrefetchController demand;
  private final HealthIssues troubles;
  private final Thread claimerThread;
  private boolean looked;
  private volatile boolean claiming = true;

  QueueConsumer(
      String queue,
      int concurrency,
      WorkerOptions settings,
      InstanceLease lease,
      HandlerInvoker execution,
      BatchCompleter completer,
      InFlightEvents hands,
      EventClaimer claimer,
      BooleanSupplier hears,
      HealthIssues troubles) {
    this.queue = queue;
    this.completer = completer;
    this.hands = hands;
    this.claimer = claimer;
    this.troubles = troubles;
    this.looks = new PollTimer(hears, settings.poll());
    this.handlers =
        new HandlerPool(queue, concurrency, settings, lease, execution, hands, looks::nudge);
    this.demand =
        new PrefetchController(
            handlers, hands, concurrency, settings.maxBatchSize(), this::giveBack);
    this.claimerThread =
        WorkerThreads.platform("holdfast-claim-" + queue).newThread(this::claimUntilStopped);
  }

  void start() {
    claimerThread.start();
    handlers.start();
  }

  /** An event is taken away from its handler. */
  void tookAway(HandlerExecution from) {
    handlers.tookAway(from);
  }

  /** There may be something to claim anywhere in the queue, also before what was claimed last. */
  void wakeFromStart() {
    claimer.startOver();
    looks.wake();
  }

  /** Somebody has announced an event, and announces no other for a while. */
  void heard() {
    looks.heard();
  }

  /** An event is out of this runner's hands. */
  void out(Completion finished) {
    hands.out(finished.event());
    // it may be due again, or another in its order, and nobody else says so
    String orderingKey = finished.event().orderingKey();
    if (finished.putBack() != null) {
      looks.wake();
    } else if (orderingKey != null) {
      next(finished.event().shard(), orderingKey);
    }
  }

  /** It may be the turn of another event of this ordering key, in whatever queue it is. */
  void next(int shard, String orderingKey) {
    if (claimer.freed(shard, orderingKey)) {
      looks.nudge();
    } else {
      looks.wake();
    }
  }

  /** Some event of this worker has ended or is put back, so that a limit may leave more. */
  void freed() {
    if (claimer.waitsForOthers()) {
      looks.wake();
    }
  }

  int inHands() {
    return hands.size();
  }

  /** Claims no more, and gives back what is not begun. */
  void stopClaiming() {
    claiming = false;
    looks.wake();
    giveBackNotBegun();
  }

  private void giveBackNotBegun() {
    hands.notBegun().forEach(this::giveBack);
  }

  private void giveBack(InFlightEvents.Held held) {
    completer.add(Completion.giveBack(held.event()));
  }

  /** Waits for a claim that is under way: what it brings is in the hands of this runner, too. */
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

  /** Ends the threads of the handlers once they are done. */
  void stopHandling() {
    handlers.stop();
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
        troubles.over(doing);
        troubles.over(limited);
      } catch (InterruptedException e) {
        // only stopping ends it
      } catch (LimitLockedException e) {
        looks.wake();
        if (troubles.failed(limited, e)) {
          LOG.warn(
              "event-limit-locked: could not claim from queue '{}'; retrying: {}",
              queue,
              e.getMessage());
        }
        // without a connection meanwhile, which other queues may need
        pause(LimitStatements.MAX_WAIT.toMillis());
      } catch (RuntimeException | Error e) {
        failures++;
        looks.wake();
        if (troubles.failed(doing, e)) {
          LOG.warn(
              "event-claim-failed: could not claim from queue '{}'; retrying: {}",
              queue,
              HealthIssues.text(e));
        }
        pause(Math.min(MAX_DELAY_MILLIS, 20L << Math.min(failures, 8)));
      }
    }
    giveBackNotBegun();
  }

  private void claimOrWait() throws InterruptedException {
    int wanted = demand.now();
    if (wanted == 0) {
      // all busy: the next one that is not says so
      looks.await(demand.isIdle() ? 1 : 20, TimeUnit.MILLISECONDS);
    } else if ((looked || !looks.isTime()) && claimer.claimFreed(wanted)) {
      // long backlogs of ordering keys must not keep it from looking at all others
      looked = false;
    } else if (looks.isTime()) {
      look(wanted);
    } else {
      looks.await();
    }
  }

  private void look(int wanted) {
    looked = true;
    looks.begin();
    if (!claimer.claim(wanted, demand.room())) {
      looks.rest(claimer);
    }
  }

  private static void pause(long millis) {
    try {
      Thread.sleep(ThreadLocalRandom.current().nextLong(millis) + 1);
    } catch (InterruptedException e) {
      // only stopping ends it
    }
  }
}
