package dev.holdfast.internal.lease.engine;

import dev.holdfast.HoldfastException;
import dev.holdfast.lease.LeaseKey;
import dev.holdfast.lease.LeaseRequest;
import dev.holdfast.lease.Leases;
import dev.holdfast.lease.spi.LeaseStore;
import dev.holdfast.lease.spi.LeaseStore.AcquireResult;
import dev.holdfast.lease.spi.LeaseStore.Ownership;
import dev.holdfast.lease.spi.LeaseStore.Request;
import dev.holdfast.lease.spi.LeaseStore.WaitRegistration;
import dev.holdfast.transaction.DatabaseException;
import dev.holdfast.transaction.SqlError;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Acquires leases.
 *
 * <ol>
 *   <li>Without waiting: one request to the store, repeated once with the same owner id if the
 *       response was lost.
 *   <li>With waiting: join the queue of this process first, so that no release is missed. The first
 *       waiter asks the store, which registers this process as a waiter.
 *   <li>Sleep until notified, handed over, or the holder has expired; then ask again.
 *   <li>Release a grant that arrives after its end, and an acquisition whose outcome is unknown.
 * </ol>
 */
final class LeaseAcquirer {
  private static final Logger LOG = LoggerFactory.getLogger(Leases.class);
  private static final Duration REGISTRATION = Duration.ofSeconds(30);

  /** How long the place of a dead process in the queue keeps others waiting. */
  private static final Duration QUEUED_REGISTRATION = Duration.ofSeconds(4);

  /** While the subscription starts: shorter than an offer to this process lasts. */
  private static final long SUBSCRIBING_DELAY_NANOS = TimeUnit.MILLISECONDS.toNanos(4);

  private static final long MAX_ASK_DELAY_NANOS = TimeUnit.SECONDS.toNanos(2);
  private static final long MIN_DELAY_NANOS = TimeUnit.MICROSECONDS.toNanos(500);

  private final LeaseStore store;
  private final String instanceName;
  private final LeaseWaiters waiters;
  private final LeaseReleaser releaser;

  LeaseAcquirer(
      LeaseStore store, String instanceName, LeaseWaiters waiters, LeaseReleaser releaser) {
    this.store = store;
    this.instanceName = instanceName;
    this.waiters = waiters;
    this.releaser = releaser;
  }

  /** Returns null if other holders have the lease. */
  @Nullable Grant now(LeaseRequest.Target target, Duration duration) {
    UUID ownerId = OwnerIds.next();
    Request request = new Request(target, ownerId, instanceName, duration, null);
    long sent = System.nanoTime();
    AcquireResult result;
    try {
      result = store.acquire(request);
    } catch (HoldfastException e) {
      sent = System.nanoTime();
      result = retried(request, e);
    }
    if (!(result instanceof AcquireResult.Granted granted)) {
      return null;
    }
    Grant grant = grant(request, granted.token(), sent);
    if (grant.isLate()) {
      releaser.releaseOrphan(grant.ownership(), grant.deadline());
      return null;
    }
    return grant;
  }

  private AcquireResult retried(Request request, HoldfastException failure) {
    if (failure.isRetryable() && !isLockTimeout(failure)) {
      try {
        return store.acquire(request);
      } catch (HoldfastException again) {
        again.addSuppressed(failure);
        releaseUnknown(request.key(), request.ownerId(), request.duration());
        throw again;
      }
    }
    releaseUnknown(request.key(), request.ownerId(), request.duration());
    throw failure;
  }

  /** Then nothing was granted, and an immediate retry would only double the time. */
  private static boolean isLockTimeout(HoldfastException failure) {
    return failure instanceof DatabaseException sql && sql.error() == SqlError.LOCK_TIMEOUT;
  }

  /** Returns null if other holders have the lease for the whole time. */
  @Nullable Grant within(
      LeaseRequest.Target target, Duration duration, Duration wait, boolean fair) {
    boolean queued = fair || target.key().kind() != LeaseKey.Kind.EXCLUSIVE;
    Waiter waiter = new Waiter(target, duration, queued);
    Wait state = new Wait(waiter, System.nanoTime() + wait.toNanos());
    waiters.join(waiter);
    Grant grant = null;
    try {
      grant = state.await();
      return grant;
    } finally {
      if (grant == null) {
        state.cancelWait();
      }
      waiters.leave(waiter, nextAsk(grant));
      if (grant == null) {
        state.releaseRest();
      }
    }
  }

  /** When the next waiter asks unless it is woken: then it also notices a revoked lease. */
  private static long nextAsk(@Nullable Grant grant) {
    long now = System.nanoTime();
    return grant == null ? now : now + Math.min(grant.deadline() - now, MAX_ASK_DELAY_NANOS);
  }

  private static Grant grant(Request request, long token, long sent) {
    long deadline = sent + request.duration().toNanos();
    return new Grant(request.target(), request.ownerId(), request.duration(), token, deadline);
  }

  private void releaseUnknown(LeaseKey key, UUID ownerId, Duration duration) {
    releaser.releaseOrphan(new Ownership(key, ownerId), System.nanoTime() + duration.toNanos());
  }

  /** One wait, on the thread that waits. */
  private final class Wait {
    private final Waiter waiter;
    private final long end;
    private @Nullable HoldfastException failure;
    private boolean isQueued;
    private boolean isRegistered;

    Wait(Waiter waiter, long end) {
      this.waiter = waiter;
      this.end = end;
    }

    /** Waiting for a row lock counts as waiting: at the end, other holders had the lease. */
    @Nullable Grant await() {
      while (true) {
        Grant handed = waiter.handed();
        if (handed == null && waiter.shouldAsk()) {
          handed = ask();
        }
        if (handed != null) {
          if (!handed.isLate()) {
            waiter.hold();
            return handed;
          }
          releaser.releaseOrphan(handed.ownership(), handed.deadline());
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
        releaser.releaseOrphan(handed.ownership(), handed.deadline());
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
      Duration registration = waiter.queued() ? QUEUED_REGISTRATION : REGISTRATION;
      Request request =
          new Request(
              waiter.target(),
              waiter.ownerId(),
              instanceName,
              waiter.duration(),
              new WaitRegistration(registration, waiter.queued(), timeLeft()));
      long sent = System.nanoTime();
      try {
        isQueued |= waiter.queued();
        AcquireResult result = store.acquire(request);
        failure = null;
        isRegistered = !waiter.queued();
        if (result instanceof AcquireResult.Granted granted) {
          return grant(request, granted.token(), sent);
        }
        askLater(sent, registration, ((AcquireResult.Rejected) result).untilChange());
      } catch (HoldfastException e) {
        if (!e.isRetryable()) {
          failure = e;
          throw e;
        }
        failure = e;
        waiter.askAt(System.nanoTime() + waiter.nextDelay(4));
      }
      return null;
    }

    private Duration timeLeft() {
      return Duration.ofNanos(Math.max(0, end - System.nanoTime()));
    }

    private void askLater(long sent, Duration registration, Duration untilChange) {
      // before the registration ends
      long next = sent + Math.min(registration.toNanos() / 2, untilChange.toNanos());
      long now = System.nanoTime();
      if (!waiters.isNotified()) {
        LeaseWaiters.WaitQueue queue =
            waiter.queued() ? waiters.queue(waiter.target().key()) : null;
        long delay = waiter.nextDelay(queue == null ? 1 : queue.size());
        if (waiters.isSubscribing()) {
          delay = Math.min(delay, SUBSCRIBING_DELAY_NANOS);
        }
        next = Math.min(next - now, delay) + now;
      }
      waiter.askAt(Math.max(next - now, MIN_DELAY_NANOS) + now);
    }

    /**
     * Removes the registration of this process if no other thread waits here. A thread that starts
     * to wait now asks the store only after this one has left.
     */
    void cancelWait() {
      LeaseWaiters.WaitQueue queue = waiters.queue(waiter.target().key());
      if (isRegistered && failure == null && queue != null && queue.size() == 1) {
        boolean interrupted = Thread.interrupted();
        try {
          store.cancelWait(waiter.target().key(), instanceName);
        } catch (HoldfastException e) {
          LOG.debug("could not remove the wait registration", e);
        } finally {
          if (interrupted) {
            Thread.currentThread().interrupt();
          }
        }
      }
    }

    /** Releases in the background what the store may still have of this wait. */
    private void releaseRest() {
      Grant handed = waiter.leave();
      if (handed != null) {
        releaser.releaseOrphan(handed.ownership(), handed.deadline());
      } else if (failure != null || isQueued || waiter.isInDoubt()) {
        releaseUnknown(waiter.target().key(), waiter.ownerId(), waiter.duration());
      }
    }
  }
}
