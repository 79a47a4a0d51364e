package dev.holdfast.internal.event.engine;

import dev.holdfast.event.Worker;
import dev.holdfast.internal.event.store.QueueControls;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Renews the lease of a worker, and reads what is paused, limited or to be cancelled. It keeps a
 * connection of its own, so that it works also if handlers have taken all others.
 */
final class Heartbeat {
  static final int PER_LEASE = 5;

  private static final Logger LOG = LoggerFactory.getLogger(Worker.class);
  private static final HealthIssue FAILED =
      new HealthIssue(
          "worker-heartbeat-failed", "renewing the lease and reading the queue controls");
  private static final long SOON_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final EventBackend home;
  private final ReservedConnection connection;
  private final WorkerOptions settings;
  private final InstanceLease lease;
  private final HandlerInvoker invoker;
  private final HealthIssues issues;
  private final Reactions reactions;
  private final Semaphore woken = new Semaphore(0);
  private volatile QueueControls controls = QueueControls.NONE;
  private volatile boolean running = true;

  /** What the worker does about what the heartbeat notices. */
  interface Reactions {
    /** There is about to be a lease, and nothing is claimed yet. */
    void starting();

    void leaseLost();

    /** There may be more to claim: a lease, a pause or a limit has changed. */
    void changed();
  }

  Heartbeat(
      EventBackend home,
      ReservedConnection connection,
      WorkerOptions settings,
      InstanceLease lease,
      HandlerInvoker invoker,
      HealthIssues issues,
      Reactions reactions) {
    this.home = home;
    this.connection = connection;
    this.settings = settings;
    this.lease = lease;
    this.invoker = invoker;
    this.issues = issues;
    this.reactions = reactions;
  }

  /** What is paused and limited, as it was read last. */
  QueueControls controls() {
    return controls;
  }

  /** Pauses, limits or running events have changed. */
  void notified() {
    woken.release();
  }

  void stop() {
    running = false;
  }

  void run() {
    while (running) {
      try {
        if (lease.instance() == 0) {
          // before anything is claimed
          readControls();
          reactions.starting();
        }
        long instance = lease.instance();
        if (lease.renew()) {
          reactions.leaseLost();
        }
        if (lease.instance() != instance) {
          reactions.changed();
        }
        readChanges();
        issues.over(FAILED);
        waitForNext(settings.lease().toNanos() / PER_LEASE);
      } catch (RuntimeException | Error e) {
        connection.release();
        lease.missed();
        if (issues.failed(FAILED, e)) {
          LOG.warn(
              "worker-heartbeat-failed: worker '{}' could not renew its lease; retrying, the lease"
                  + " expires {} after its last renewal: {}",
              settings.name(),
              settings.lease(),
              HealthIssues.text(e));
        }
        waitForNext(soon());
      }
    }
  }

  /** After a failure: before the lease expires, and not all instances at the same moment. */
  private long soon() {
    long most = Math.min(SOON_NANOS, settings.lease().toNanos() / PER_LEASE);
    return ThreadLocalRandom.current().nextLong(most / 2, most);
  }

  /** Until it is time; reads changes when it is notified of them. */
  private void waitForNext(long nanos) {
    long end = System.nanoTime() + nanos;
    while (running) {
      try {
        long left = end - System.nanoTime();
        if (left <= 0 || !woken.tryAcquire(left, TimeUnit.NANOSECONDS)) {
          return;
        }
        woken.drainPermits();
        reactions.changed();
        readChanges();
      } catch (InterruptedException e) {
        // only stopping ends it
      } catch (RuntimeException | Error e) {
        connection.release();
        LOG.warn(
            "worker-controls-failed: worker '{}' could not read pauses, limits and cancellations;"
                + " using the last known values: {}",
            settings.name(),
            HealthIssues.text(e));
      }
    }
  }

  private void readChanges() {
    readControls();
    cancelRequested();
  }

  private void readControls() {
    QueueControls now = home.step(() -> "reading pauses and limits", home.store()::queueControls);
    boolean changed = !now.equals(controls);
    controls = now;
    if (changed) {
      reactions.changed();
    }
  }

  private void cancelRequested() {
    if (invoker.running().isEmpty()) {
      return;
    }
    for (int shard = 0; shard < home.shards(); shard++) {
      int of = shard;
      Set<Long> begun =
          invoker.running().stream()
              .filter(running -> running.event.shard() == of)
              .map(running -> running.event.id())
              .collect(Collectors.toSet());
      Set<Long> wanted =
          home.step(() -> "reading cancellations", c -> home.store().cancelRequested(c, of, begun));
      for (HandlerExecution running : invoker.running()) {
        if (running.event.shard() == shard && wanted.contains(running.event.id())) {
          running.stop(HandlerExecution.Stop.CANCEL_REQUESTED);
        }
      }
    }
  }
}
