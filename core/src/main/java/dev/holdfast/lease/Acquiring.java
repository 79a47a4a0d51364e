package dev.holdfast.lease;

import dev.holdfast.HoldfastException;
import dev.holdfast.lease.LeaseStore.Acquired;
import dev.holdfast.lease.LeaseStore.Hold;
import dev.holdfast.lease.LeaseStore.Request;
import dev.holdfast.lease.LeaseStore.Waiting;
import dev.holdfast.sql.SqlError;
import dev.holdfast.sql.SqlFailedException;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How a lease is acquired:
 *
 * <ol>
 *   <li>without waiting: one question to the store, repeated once with the same owner where the
 *       answer was lost;
 *   <li>with waiting: get into the queue of this process first, so that no release is missed; the
 *       first in it asks the store, which leaves a mark there;
 *   <li>sleep until told, handed over, or the holder has run out; then ask again;
 *   <li>a grant that arrives after it has run out is given back; what is unknown in the end, too.
 * </ol>
 */
final class Acquiring {
  private static final Logger LOG = LoggerFactory.getLogger(Leases.class);
  private static final Duration MARK = Duration.ofSeconds(30);

  /** A place in the queue of one that has died keeps others waiting for so long. */
  private static final Duration PLACE = Duration.ofSeconds(4);

  /** While nothing is heard yet: within the moment in which others let this process go first. */
  private static final long BEGINNING_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(4);

  private static final long NEXT_LOOK_NANOS = TimeUnit.SECONDS.toNanos(2);
  private static final long LEAST_PAUSE_NANOS = TimeUnit.MICROSECONDS.toNanos(500);

  private final LeaseStore store;
  private final String holder;
  private final WaitingRoom room;
  private final Orphans orphans;

  Acquiring(LeaseStore store, String holder, WaitingRoom room, Orphans orphans) {
    this.store = store;
    this.holder = holder;
    this.room = room;
    this.orphans = orphans;
  }

  /** Null where others have it. */
  @Nullable Grant now(LeaseTarget target, Duration lease) {
    UUID owner = Owners.next();
    Request request = new Request(target, owner, holder, lease, null);
    long sent = System.nanoTime();
    Acquired answer;
    try {
      answer = store.acquire(request);
    } catch (HoldfastException e) {
      sent = System.nanoTime();
      answer = askedAgain(request, e);
    }
    if (!(answer instanceof Acquired.Granted granted)) {
      return null;
    }
    Grant grant = grant(request, granted.token(), sent);
    if (grant.isLate()) {
      orphans.release(grant.hold(), grant.deadline());
      return null;
    }
    return grant;
  }

  private Acquired askedAgain(Request request, HoldfastException failure) {
    if (failure.retryable() && !isLockTimeout(failure)) {
      try {
        return store.acquire(request);
      } catch (HoldfastException again) {
        again.addSuppressed(failure);
        forget(request.key(), request.owner(), request.lease());
        throw again;
      }
    }
    forget(request.key(), request.owner(), request.lease());
    throw failure;
  }

  /** Then nothing was granted, and asking again at once would only double the time it takes. */
  private static boolean isLockTimeout(HoldfastException failure) {
    return failure instanceof SqlFailedException sql && sql.error() == SqlError.LOCK_TIMEOUT;
  }

  /** Null where others have it all the time. */
  @Nullable Grant within(LeaseTarget target, Duration lease, Duration wait, boolean fair) {
    boolean queued = fair || target.key().kind() != LeaseKind.EXCLUSIVE;
    Waiter waiter = new Waiter(target, lease, queued);
    Wait state = new Wait(waiter, System.nanoTime() + wait.toNanos());
    room.join(waiter);
    Grant grant = null;
    try {
      grant = state.await();
      return grant;
    } finally {
      if (grant == null) {
        state.withdraw();
      }
      room.leave(waiter, nextLook(grant));
      if (grant == null) {
        state.giveUp();
      }
    }
  }

  /** When the next one here asks, unless told before: then it hears also of a lease taken away. */
  private static long nextLook(@Nullable Grant grant) {
    long now = System.nanoTime();
    return grant == null ? now : now + Math.min(grant.deadline() - now, NEXT_LOOK_NANOS);
  }

  private static Grant grant(Request request, long token, long sent) {
    long deadline = sent + request.lease().toNanos();
    return new Grant(request.target(), request.owner(), request.lease(), token, deadline);
  }

  private void forget(LeaseKey key, UUID owner, Duration lease) {
    orphans.release(new Hold(key, owner), System.nanoTime() + lease.toNanos());
  }

  /** One wait, on its thread. */
  private final class Wait {
    private final Waiter waiter;
    private final long end;
    private @Nullable HoldfastException failure;
    private boolean leftPlace;
    private boolean leftMark;

    Wait(Waiter waiter, long end) {
      this.waiter = waiter;
      this.end = end;
    }

    /** Waiting for a row lock is a part of the wait: where it ends so, others had the lease. */
    @Nullable Grant await() {
      while (true) {
        Grant handed = waiter.handed();
        if (handed == null && waiter.looks()) {
          handed = ask();
        }
        if (handed != null) {
          if (!handed.isLate()) {
            waiter.hold();
            return handed;
          }
          orphans.release(handed.hold(), handed.deadline());
          waiter.waitAnew();
        } else if (Thread.currentThread().isInterrupted() || end - System.nanoTime() <= 0) {
          return lastMoment();
        } else {
          waiter.sleep(end);
        }
      }
    }

    private @Nullable Grant lastMoment() {
      Grant handed = waiter.leave();
      if (handed != null && (handed.isLate() || Thread.currentThread().isInterrupted())) {
        orphans.release(handed.hold(), handed.deadline());
        return null;
      }
      HoldfastException last = failure;
      if (handed == null
          && last != null
          && !isLockTimeout(last)
          && !Thread.currentThread().isInterrupted()) {
        throw last;
      }
      return handed;
    }

    private @Nullable Grant ask() {
      Duration mark = waiter.queued() ? PLACE : MARK;
      Request request =
          new Request(
              waiter.target(),
              waiter.owner(),
              holder,
              waiter.lease(),
              new Waiting(mark, waiter.queued(), timeLeft()));
      long sent = System.nanoTime();
      try {
        leftPlace |= waiter.queued();
        Acquired answer = store.acquire(request);
        failure = null;
        leftMark = !waiter.queued();
        if (answer instanceof Acquired.Granted granted) {
          return grant(request, granted.token(), sent);
        }
        lookAgain(sent, mark, ((Acquired.Taken) answer).untilChange());
      } catch (HoldfastException e) {
        if (!e.retryable()) {
          failure = e;
          throw e;
        }
        failure = e;
        waiter.nextLook(System.nanoTime() + waiter.growingPause(4));
      }
      return null;
    }

    private Duration timeLeft() {
      return Duration.ofNanos(Math.max(0, end - System.nanoTime()));
    }

    private void lookAgain(long sent, Duration mark, Duration untilChange) {
      // in time before the mark is forgotten
      long look = sent + Math.min(mark.toNanos() / 2, untilChange.toNanos());
      long now = System.nanoTime();
      if (!room.hears()) {
        LocalQueue queue = waiter.queued() ? room.queue(waiter.target().key()) : null;
        long pause = waiter.growingPause(queue == null ? 1 : queue.size());
        if (room.isAboutToHear()) {
          pause = Math.min(pause, BEGINNING_PAUSE_NANOS);
        }
        look = Math.min(look - now, pause) + now;
      }
      waiter.nextLook(Math.max(look - now, LEAST_PAUSE_NANOS) + now);
    }

    /**
     * Takes back the mark of this process, if nobody else waits here. Whoever comes now asks only
     * after this one has left.
     */
    void withdraw() {
      LocalQueue queue = room.queue(waiter.target().key());
      if (leftMark && failure == null && queue != null && queue.size() == 1) {
        boolean interrupted = Thread.interrupted();
        try {
          store.withdraw(waiter.target().key(), holder);
        } catch (HoldfastException e) {
          LOG.debug("a mark could not be taken back", e);
        } finally {
          if (interrupted) {
            Thread.currentThread().interrupt();
          }
        }
      }
    }

    /** Nobody waits any more: what the store may still have of it is given back. */
    private void giveUp() {
      Grant handed = waiter.leave();
      if (handed != null) {
        orphans.release(handed.hold(), handed.deadline());
      } else if (failure != null || leftPlace || waiter.isInDoubt()) {
        forget(waiter.target().key(), waiter.owner(), waiter.lease());
      }
    }
  }
}
