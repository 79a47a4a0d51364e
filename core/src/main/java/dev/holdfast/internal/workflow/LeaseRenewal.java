package dev.holdfast.internal.workflow;

import dev.holdfast.idempotency.spi.IdempotencyStore;
import dev.holdfast.idempotency.spi.IdempotencyStore.Ownership;
import dev.holdfast.workflow.Workflows;
import java.time.Duration;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The lease of one request: renewed after a third of its duration, and lost at the latest when the
 * duration has passed since before the last successful renewal was sent. A lost lease interrupts
 * the thread of the work. Thread-safe.
 */
final class LeaseRenewal {
  private static final Logger LOG = LoggerFactory.getLogger(Workflows.class);

  private final RenewalThreads threads;
  private final IdempotencyStore store;
  private final Ownership owner;
  private final Duration lease;

  private long deadline;
  private boolean lost;
  private boolean ended;
  private boolean interrupted;
  private boolean paused;
  private @Nullable Thread worker;
  private @Nullable Future<?> renewal;
  private @Nullable Future<?> alarm;

  /**
   * @param asked the moment of {@link System#nanoTime()} before the claim was sent
   */
  LeaseRenewal(
      RenewalThreads threads, IdempotencyStore store, Ownership owner, Duration lease, long asked) {
    this.threads = threads;
    this.store = store;
    this.owner = owner;
    this.lease = lease;
    this.deadline = asked + lease.toNanos();
  }

  /** Starts the renewals. A lost lease interrupts {@code thread}, unless it is null. */
  synchronized void start(@Nullable Thread thread) {
    worker = thread;
    renewAt(deadline - lease.toNanos() * 2 / 3);
    alarm = threads.at(deadline, this::checkDeadline);
  }

  /** Schedules the next renewal in place of the last one. */
  private synchronized void renewAt(long moment) {
    if (renewal != null) {
      renewal.cancel(false);
    }
    renewal = threads.at(moment, () -> threads.renew(this::renew));
  }

  private void renew() {
    long asked;
    synchronized (this) {
      if (ended || lost || paused) {
        return;
      }
      asked = System.nanoTime();
    }
    boolean held;
    try {
      held = store.renew(owner, lease);
    } catch (RuntimeException e) {
      synchronized (this) {
        if (!ended && !lost && !paused) {
          LOG.warn(
              "idempotency-renewal-failed: could not renew the lease of request {}; retrying,"
                  + " expires in {} ms: {}",
              owner.key(),
              Math.max(0, (deadline - System.nanoTime()) / 1_000_000),
              e.toString());
          renewAt(System.nanoTime() + Math.max(lease.toNanos() / 20, 1_000_000));
        }
      }
      return;
    }
    if (held) {
      extendedFrom(asked);
      synchronized (this) {
        if (!ended && !lost) {
          renewAt(asked + lease.toNanos() / 3);
        }
      }
    } else {
      lose();
    }
  }

  /**
   * Pauses renewals while the owner itself has the record locked. When they resume, there is one at
   * once.
   */
  synchronized void pause(boolean pause) {
    boolean resumes = paused && !pause && !ended && !lost;
    paused = pause;
    if (resumes && alarm != null) {
      renewAt(System.nanoTime());
    }
  }

  synchronized boolean isPaused() {
    return paused;
  }

  private synchronized void checkDeadline() {
    if (ended || lost) {
      return;
    }
    if (deadline - System.nanoTime() > 0) {
      alarm = threads.at(deadline, this::checkDeadline);
    } else {
      lose();
    }
  }

  /** The store has extended the lease; the request was sent at this moment. */
  synchronized void extendedFrom(long asked) {
    deadline = Math.max(deadline, asked + lease.toNanos());
  }

  /** Marks the lease as lost and interrupts the work. */
  synchronized void lose() {
    if (lost || ended) {
      return;
    }
    lost = true;
    cancel();
    Thread thread = worker;
    if (thread != null && !thread.isInterrupted()) { // an interrupt by others stays
      interrupted = true;
      thread.interrupt();
    }
  }

  /** Whether the lease was lost, and not ended by its owner; also before the timer notices it. */
  synchronized boolean isLost() {
    return lost || (!ended && deadline - System.nanoTime() <= 0);
  }

  /**
   * The work has ended, and its thread is not interrupted any more. Renewals continue. Called by
   * that thread: clears an interrupt of this class.
   *
   * @return whether there was one
   */
  synchronized boolean workEnded() {
    worker = null;
    if (interrupted) {
      boolean unused = Thread.interrupted();
    }
    return interrupted;
  }

  synchronized boolean isValid() {
    return !lost && !ended && deadline - System.nanoTime() > 0;
  }

  /** Ends the renewals without a loss. */
  synchronized void end() {
    ended = true;
    cancel();
  }

  private void cancel() {
    if (renewal != null) {
      renewal.cancel(false);
    }
    if (alarm != null) {
      alarm.cancel(false);
    }
  }
}
