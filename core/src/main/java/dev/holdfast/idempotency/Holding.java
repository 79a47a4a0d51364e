package dev.holdfast.idempotency;

import dev.holdfast.idempotency.IdempotencyStore.Hold;
import java.time.Duration;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A claim that is kept alive: renewed after a third of its lease, and lost at the latest when the
 * time is over that was counted from before the store was asked. Then whoever works is told by an
 * interrupt. Thread-safe.
 */
final class Holding {
  private static final Logger LOG = LoggerFactory.getLogger(Claims.class);

  private final ClaimKeeper keeper;
  private final IdempotencyStore store;
  private final Hold hold;
  private final Duration lease;

  private long deadline;
  private boolean lost;
  private boolean over;
  private boolean interrupted;
  private boolean resting;
  private @Nullable Thread worker;
  private @Nullable Future<?> renewal;
  private @Nullable Future<?> alarm;

  /**
   * @param asked the moment of {@link System#nanoTime()} before the store was asked for the claim
   */
  Holding(ClaimKeeper keeper, IdempotencyStore store, Hold hold, Duration lease, long asked) {
    this.keeper = keeper;
    this.store = store;
    this.hold = hold;
    this.lease = lease;
    this.deadline = asked + lease.toNanos();
  }

  /** From now on it is renewed, and {@code thread} is interrupted when it is lost. */
  synchronized void keep(@Nullable Thread thread) {
    worker = thread;
    renewAt(deadline - lease.toNanos() * 2 / 3);
    alarm = keeper.at(deadline, this::lookAtTheTime);
  }

  /** There is one renewal to come at a time. */
  private synchronized void renewAt(long moment) {
    if (renewal != null) {
      renewal.cancel(false);
    }
    renewal = keeper.at(moment, () -> keeper.renew(this::renew));
  }

  private void renew() {
    long asked;
    synchronized (this) {
      if (over || lost || resting) {
        return;
      }
      asked = System.nanoTime();
    }
    boolean held;
    try {
      held = store.renew(hold, lease);
    } catch (RuntimeException e) {
      synchronized (this) {
        if (!over && !lost && !resting) {
          LOG.warn(
              "the claim of {} could not be renewed and is tried again: {}",
              hold.key(),
              e.toString());
          renewAt(System.nanoTime() + Math.max(lease.toNanos() / 20, 1_000_000));
        }
      }
      return;
    }
    if (held) {
      extended(asked);
      synchronized (this) {
        if (!over && !lost) {
          renewAt(asked + lease.toNanos() / 3);
        }
      }
    } else {
      lose();
    }
  }

  /**
   * Whether renewals rest, because the holder itself has the record locked. When they go on, there
   * is one at once.
   */
  synchronized void rest(boolean rests) {
    boolean goesOn = resting && !rests && !over && !lost;
    resting = rests;
    if (goesOn && alarm != null) {
      renewAt(System.nanoTime());
    }
  }

  synchronized boolean isResting() {
    return resting;
  }

  private synchronized void lookAtTheTime() {
    if (over || lost) {
      return;
    }
    if (deadline - System.nanoTime() > 0) {
      alarm = keeper.at(deadline, this::lookAtTheTime);
    } else {
      lose();
    }
  }

  /** The store has said that it lasts for the lease from then on. */
  synchronized void extended(long asked) {
    deadline = Math.max(deadline, asked + lease.toNanos());
  }

  /** It is not ours any more, and whoever works is told. */
  synchronized void lose() {
    if (lost || over) {
      return;
    }
    lost = true;
    cancel();
    Thread thread = worker;
    if (thread != null && !thread.isInterrupted()) { // else it is somebody else's, and stays
      interrupted = true;
      thread.interrupt();
    }
  }

  /** Whether it was lost while it was kept, and not ended by whoever had it. */
  synchronized boolean isLost() {
    return lost;
  }

  /**
   * The work has ended, and nobody is interrupted any more; it is still renewed. For the thread
   * that works: clears an interrupt that came from here, and tells whether there was one.
   */
  synchronized boolean workEnded() {
    worker = null;
    if (interrupted) {
      boolean unused = Thread.interrupted();
    }
    return interrupted;
  }

  synchronized boolean isHeld() {
    return !lost && !over && deadline - System.nanoTime() > 0;
  }

  /** Nothing is kept alive any more, and nobody is told of a loss. */
  synchronized void end() {
    over = true;
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
