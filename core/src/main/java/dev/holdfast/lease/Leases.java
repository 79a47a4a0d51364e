package dev.holdfast.lease;

import dev.holdfast.LeaseLostException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Acquires leases: one holder at a time per name, across all instances that use the same store.
 *
 * <pre>{@code
 * try (Lease lease = leases.acquire("payment:42", Duration.ofSeconds(30))) {
 *   transactions.run(tx -> {
 *     fence.check(tx, "payment:42", lease.token());
 *     …
 *   });
 * }
 * }</pre>
 *
 * <p><b>Guarantees:</b> a lease ends after its duration, even if its holder dies or hangs. Tokens
 * of one name only grow.
 *
 * <p><b>Does not guarantee</b> that a paused holder notices the end of its lease in time. Guard
 * writes with {@link Fence}.
 *
 * <p><b>Transactions:</b> acquire a lease before the transaction begins and release it after the
 * transaction has ended. The opposite order is rejected in transactions of Holdfast and of a
 * framework that it knows, unless the request says {@link LeaseRequest#allowInTransaction()}.
 *
 * <p><b>Threads:</b> thread-safe. Background threads run only while there is a lease to renew, to
 * watch or to wait for; there is nothing to close.
 *
 * <p>{@code Holdfast.leases()} is the usual way; {@code Holdfast.createLeases(store)} makes leases
 * in a store without a database.
 *
 * <p><b>Defaults:</b> {@code acquire} waits up to 30 s, in no particular order. A lease is not
 * renewed automatically and not reentrant. See {@link LeaseRequest}.
 */
public interface Leases {
  /** The shortest duration of a lease. */
  Duration MIN_DURATION = Duration.ofMillis(100);

  /** The longest duration of a lease. */
  Duration MAX_DURATION = Duration.ofDays(7);

  /** The name of this instance as in {@link LeaseRecord}: the given name and a random suffix. */
  String instanceName();

  /**
   * Acquires the exclusive lease of this name; waits up to 30 s. See {@link
   * #acquire(LeaseRequest)}.
   */
  default Lease acquire(String name, Duration duration) {
    return acquire(LeaseRequest.of(name, duration));
  }

  /**
   * Acquires a lease; waits up to the wait timeout of the request.
   *
   * <p>If the store fails with a retryable error, the request is repeated until the wait timeout
   * ends. The time that a request waits for a row lock of a read/write lease, a semaphore or a fair
   * lease counts as waiting.
   *
   * @throws LeaseNotAcquiredException if other holders had the lease for the whole wait timeout, or
   *     if the thread was interrupted; its interrupt status stays set
   * @throws LeaseLostException if the request is reentrant and the lease of this thread has expired
   * @throws dev.holdfast.HoldfastException if the store failed, and still failed at the last
   *     attempt
   */
  Lease acquire(LeaseRequest request);

  /** Acquires the exclusive lease of this name if it is free now. */
  default Optional<Lease> tryAcquire(String name, Duration duration) {
    return tryAcquire(LeaseRequest.of(name, duration));
  }

  /**
   * Acquires a lease if it is free now. Ignores the wait timeout of the request.
   *
   * <p>If another process holds a row lock of the lease, for example because it was suspended while
   * it acquired the lease, this call takes a few seconds and then fails with a retryable exception.
   *
   * @throws LeaseLostException if the request is reentrant and the lease of this thread has expired
   */
  Optional<Lease> tryAcquire(LeaseRequest request);

  /**
   * Acquires all of these leases or none, in the canonical order of their keys, so that two groups
   * never wait for each other. All wait timeouts start now.
   *
   * @param requests each key once; equal requests count as one
   * @throws LeaseNotAcquiredException if one of them was not acquired; then none is held
   */
  LeaseGroup acquireAll(Collection<LeaseRequest> requests);

  /** Acquires all of these leases if they are free now, else none. */
  Optional<LeaseGroup> tryAcquireAll(Collection<LeaseRequest> requests);

  /**
   * Acquires a lease, runs the work, and releases the lease.
   *
   * @throws LeaseNotAcquiredException if the lease was not acquired; the work has not started
   * @throws LeaseLostException if the lease was lost before the work had ended
   */
  <T extends @Nullable Object, X extends Exception> T call(
      LeaseRequest request, LeaseCallback<T, X> work) throws X;

  /** As {@link #call}, for work without a result. */
  <X extends Exception> void run(LeaseRequest request, LeaseCallback.WithoutResult<X> work)
      throws X;

  /** Returns the current state of a lease, for operators. Do not use it for decisions. */
  Optional<LeaseRecord> find(LeaseKey key);

  /**
   * Returns leases that are held or waited for, in the order of their keys.
   *
   * @param prefix the beginning of their names; empty for all
   * @param after returns only keys after this one; null for the first page
   * @param limit 1 to 1000
   */
  List<LeaseRecord> list(String prefix, @Nullable LeaseKey after, int limit);

  /**
   * Ends a lease for all of its holders; for operators, if a holder hangs. The token is raised, so
   * a {@link Fence} that has seen the raised token rejects the old holders. The holders lose the
   * lease at their next renewal at the latest.
   *
   * @return the raised token, or empty if the lease had no holder
   */
  OptionalLong forceRelease(LeaseKey key);
}
