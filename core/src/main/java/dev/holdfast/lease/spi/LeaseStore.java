package dev.holdfast.lease.spi;

import dev.holdfast.lease.Fence;
import dev.holdfast.lease.Lease;
import dev.holdfast.lease.LeaseKey;
import dev.holdfast.lease.LeaseRecord;
import dev.holdfast.lease.LeaseRequest.Target;
import dev.holdfast.lease.Leases;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A backend of {@link Leases}: atomic operations of one round trip each.
 *
 * <p>Every store guarantees the following. The contract suite in {@code holdfast-testing} tests it.
 *
 * <ol>
 *   <li>Only the store's clock decides what has expired. No time of the application is compared
 *       with a stored time.
 *   <li>The permits of all holders of a key that have not expired never exceed the capacity.
 *   <li>Each grant has a token greater than all earlier tokens of its key: {@code max(last + 1,
 *       server time in µs)}. A renewal does not change the token, nor does an acquisition that the
 *       same owner repeats while it holds the lease.
 *   <li>Every operation checks the owner id, a random id of one acquisition. A {@linkplain #renew
 *       renewal} never revives a lease that has expired, was released or was revoked.
 *   <li>{@link #acquire} and {@link #release} may be repeated with the same arguments after a
 *       response was lost.
 * </ol>
 *
 * <p>Wait queues: among {@linkplain WaitRegistration#queued() queued} requests, a request is
 * granted only if no live one is queued before it. For {@link LeaseKey.Kind#READ_WRITE} and {@link
 * LeaseKey.Kind#SEMAPHORE} all requests respect the queue, also those that do not wait, so that no
 * waiter starves. For {@link LeaseKey.Kind#EXCLUSIVE} requests that are not queued may overtake it.
 *
 * <p>A failure is a {@link dev.holdfast.HoldfastException}; its {@code isRetryable()} says whether
 * a repetition may help. After any failure the outcome counts as unknown. Implementations are
 * thread-safe and wait for nothing but the response of the store.
 */
public interface LeaseStore {
  /**
   * One acquisition.
   *
   * @param ownerId the random id of this acquisition; the same in each repetition
   * @param instanceName the instance that asks, for operators; different for each instance
   * @param duration the duration of the lease, from the moment of the grant by the store's clock
   * @param waitRegistration how the request waits if it is not granted; null if it does not wait
   */
  record Request(
      Target target,
      UUID ownerId,
      String instanceName,
      Duration duration,
      @Nullable WaitRegistration waitRegistration) {
    public LeaseKey key() {
      return target.key();
    }
  }

  /**
   * How a request waits. The store keeps the registration until its duration has passed without a
   * repetition of the request; the next {@link #release} then notifies the {@linkplain #subscribe
   * subscribers}. The engine repeats the request in time.
   *
   * @param duration how long the registration lasts, from now
   * @param queued whether the store keeps the order of arrival
   * @param waitTimeout how long the caller still waits: a store that has to wait itself, such as
   *     for a row lock, does not wait longer than this, to within a second
   */
  record WaitRegistration(Duration duration, boolean queued, Duration waitTimeout) {
    /** Waits for as long as the registration lasts. */
    public WaitRegistration(Duration duration, boolean queued) {
      this(duration, queued, duration);
    }
  }

  /** What an acquisition returned. */
  sealed interface AcquireResult {
    /**
     * The lease is held for its whole duration from now, also if the same owner held it already.
     */
    record Granted(long token) implements AcquireResult {}

    /**
     * The lease was not granted.
     *
     * @param untilChange the earliest time at which something may change without a release, as far
     *     as the store knows: the first holder expires, or a registration ahead in the queue; never
     *     negative
     */
    record Rejected(Duration untilChange) implements AcquireResult {}
  }

  /** Who owns a lease: the key, and the owner id that it was granted to. */
  record Ownership(LeaseKey key, UUID ownerId) {}

  /**
   * Who gets the lease next, in the same step as its release. Only for {@link
   * LeaseKey.Kind#EXCLUSIVE}, and only if it is not queued.
   *
   * @param next another acquisition of the same key by the same instance; its wait registration is
   *     ignored
   * @param unlessOthersWait releases the lease instead if another instance is registered as a
   *     waiter
   */
  record Successor(Request next, boolean unlessOthersWait) {}

  /** What a release returned. */
  sealed interface ReleaseResult {
    /** The lease was held and is free now; waiters elsewhere are notified. */
    record Released() implements ReleaseResult {}

    /** The lease was held, and its successor has it now with this token; no waiter is notified. */
    record HandedOver(long token) implements ReleaseResult {}

    /** This owner did not hold the lease any more; nothing was handed over. */
    record Lost() implements ReleaseResult {}
  }

  /** Receives notifications about releases; called by threads of the store, so it must be quick. */
  interface Listener {
    /**
     * A lease was released while others waited.
     *
     * @param next whose turn it is, if the store knows it from the queue; null if any waiter may
     *     acquire the lease
     */
    void onReleased(LeaseKey key, @Nullable UUID next);

    /** A lease was released, and for a moment only this instance may acquire it. */
    default void onOffered(LeaseKey key, String instanceName) {
      onReleased(key, null);
    }

    /** A lease was released by force; {@code ownerId} is null for all holders of the key. */
    void onRevoked(LeaseKey key, @Nullable UUID ownerId);

    /** Notifications may have been missed, such as during a reconnect: all waiters should ask. */
    void onResync();
  }

  /** A running subscription to releases; an instance has one at most. */
  interface Subscription extends AutoCloseable {
    /**
     * Whether notifications are known to arrive now. If not, the engine asks the store at
     * intervals.
     */
    boolean isActive();

    /** Whether the store can notify at all; then the subscription becomes active after a moment. */
    default boolean isSupported() {
      return true;
    }

    /** Ends the subscription and returns its resources. Never fails and never waits. */
    @Override
    void close();
  }

  /**
   * Grants the request if possible, also if its owner holds the lease already. If not, the store
   * keeps the wait registration of the request.
   */
  AcquireResult acquire(Request request);

  /**
   * Extends a lease that is held and has not expired to this duration from now. A store may decide
   * by the moment at which it received the request. It may then extend a lease that expired while
   * the request waited for a row lock, unless another owner has acquired it since. The engine
   * treats a response after the end of the lease as a loss, and releases the lease.
   */
  Lease.RenewResult renew(Ownership ownership, Duration duration);

  /**
   * Ends what this owner has: the lease or its wait registration. The result is {@link
   * ReleaseResult.Lost} for a lease that has expired, even if no other owner has acquired it since,
   * and for a lease that this owner never had.
   *
   * <p>A repetition after a lost response returns the same result, unless another owner has
   * acquired the lease since. A store may return {@link ReleaseResult.Released} although there was
   * a successor; the successor then has to acquire the lease.
   */
  ReleaseResult release(Ownership ownership, @Nullable Successor successor);

  /**
   * Removes the registration of an instance that no longer waits and was not queued. Offers to this
   * instance go to others.
   */
  default void cancelWait(LeaseKey key, String instanceName) {}

  /**
   * Ends the lease for all of its holders and raises the token above each of theirs. Waiters and
   * subscribers are notified.
   *
   * @return the raised token, or empty if the lease had no holder
   */
  OptionalLong forceRelease(LeaseKey key);

  /** Returns the state of a lease; empty if the store does not know it, or no longer. */
  Optional<LeaseRecord> find(LeaseKey key);

  /**
   * Returns leases that are held or waited for, in the order of their keys.
   *
   * @param prefix the beginning of their names; empty for all
   * @param after returns only keys after this one; null for the first page
   * @param limit the maximum number of leases
   */
  List<LeaseRecord> list(String prefix, @Nullable LeaseKey after, int limit);

  /** Subscribes to releases; {@link Listener#onResync()} reports the moment it becomes active. */
  Subscription subscribe(Listener listener);

  /**
   * Deletes keys that were neither held nor waited for during this time. Tokens of a deleted key
   * still grow, as long as the server's clock does not step back by more than that. A store with
   * the table of the {@link Fence} also deletes the tokens of resources whose fence was not passed
   * for 30 days.
   *
   * @return how many keys were deleted; 0 also if the store deletes them by itself
   */
  default int prune(Duration idleTime) {
    return 0;
  }
}
