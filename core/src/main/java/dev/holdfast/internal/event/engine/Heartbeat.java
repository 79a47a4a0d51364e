package dev.holdfast.internal.event.engine;

import dev.holdfast.event.Worker;
import dev.holdfast.internal.event.store.StoredQueueControls;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Renews the lease of a worker, and hears what is paused, limited or to be cancelled. It keeps a
 * connection of its own, so that it beats also where handlers have taken all others.
 */
final class Heartbeat {
  static final int BEATS_PER_LEASE = 5;

  private static final Logger LOG = LoggerFactory.getLogger(Worker.class);
  private static final HealthIssue BEATING =
      new HealthIssue(
          "worker-heartbeat-failed", "renewing the lease and reading the queue controls");
  private static final long SOON_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final EventBackend home;
  private final ReservedConnection hearts;
  private final WorkerOptions settings;
  private final InstanceLease lease;
  private final HandlerInvoker execution;
  private final HealthIssues troubles;
  private final Reactions reactions;
  private final Semaphore looks = new Semaphore(0);
  private volatile Pauses pauses = Pauses.NONE;
  private volatile Limits limits = Limits.NONE;
  private volatile boolean beating = true;

  /** What others do about what the heart notices. */
  interface Reactions {
    /** It is about to get a lease, before anything is claimed. */
    void begins();

    void leaseLost();

    /** Something is allowed or asked for that was not before. */
    void news();
  }

  Heartbeat(
      EventBackend home,
      ReservedConnection hearts,
      WorkerOptions settings,
      InstanceLease lease,
      HandlerInvoker execution,
      HealthIssues troubles,
      Reactions reactions) {
    this.home = home;
    this.hearts = hearts;
    this.settings = settings;
    this.lease = lease;
    this.execution = execution;
    this.troubles = troubles;
    this.reactions = reactions;
  }

  Pauses pauses() {
    return pauses;
  }

  Limits limits() {
    return limits;
  }

  /** There is something to look at. */
  void look() {
    looks.release();
  }

  void stop() {
    beating = false;
  }

  void run() {
    while (beating) {
      try {
        if (lease.instance() == 0) {
          // before anything is claimed
          readOrders();
          reactions.begins();
        }
        long instance = lease.instance();
        if (lease.beat()) {
          reactions.leaseLost();
        }
        if (lease.instance() != instance) {
          reactions.news();
        }
        lookAround();
        troubles.over(BEATING);
        waitForNextBeat(settings.lease().toNanos() / BEATS_PER_LEASE);
      } catch (RuntimeException | Error e) {
        hearts.giveBack();
        lease.missed();
        if (troubles.failed(BEATING, e)) {
          LOG.warn(
              "worker-heartbeat-failed: worker '{}' could not renew its lease; retrying, the lease"
                  + " expires {} after its last renewal: {}",
              settings.name(),
              settings.lease(),
              HealthIssues.text(e));
        }
        waitForNextBeat(soon());
      }
    }
  }

  /** After a failure: before the lease runs out, and not all instances at the same moment. */
  private long soon() {
    long most = Math.min(SOON_NANOS, settings.lease().toNanos() / BEATS_PER_LEASE);
    return ThreadLocalRandom.current().nextLong(most / 2, most);
  }

  /** Until it is time, or somebody says that there is something to look at. */
  private void waitForNextBeat(long nanos) {
    long end = System.nanoTime() + nanos;
    while (beating) {
      try {
        long left = end - System.nanoTime();
        if (left <= 0 || !looks.tryAcquire(left, TimeUnit.NANOSECONDS)) {
          return;
        }
        looks.drainPermits();
        reactions.news();
        lookAround();
      } catch (InterruptedException e) {
        // only stopping ends it
      } catch (RuntimeException | Error e) {
        hearts.giveBack();
        LOG.warn(
            "worker-controls-failed: worker '{}' could not read pauses, limits and cancellations;"
                + " using the last known values: {}",
            settings.name(),
            HealthIssues.text(e));
      }
    }
  }

  private void lookAround() {
    readOrders();
    cancelRequested();
  }

  /** What all instances have to keep. */
  private void readOrders() {
    StoredQueueControls orders =
        home.step(() -> "reading the orders", home.store()::standingOrders);
    Pauses paused = Pauses.of(orders.paused());
    Limits limited = Limits.of(orders.limits());
    boolean news = !paused.equals(pauses) || !limited.equals(limits);
    pauses = paused;
    limits = limited;
    if (news) {
      reactions.news();
    }
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
      for (HandlerExecution running : execution.running()) {
        if (running.event.shard() == shard && wanted.contains(running.event.id())) {
          running.stop(HandlerExecution.Stop.CANCEL_REQUESTED);
        }
      }
    }
  }
}
