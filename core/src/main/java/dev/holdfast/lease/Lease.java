package dev.holdfast.lease;

import dev.holdfast.LeaseLostException;
import dev.holdfast.transaction.TransactionStateException;
import java.time.Duration;
import java.util.function.Consumer;

/**
 * A right to a name for a limited time.
 *
 * <p><b>Guarantees:</b> while {@link #isValid()} returns true, the store grants the lease to no
 * other holder. The remaining time is counted by the monotonic clock of this process from before
 * the request was sent, so that the lease ends here before it ends in the store.
 *
 * <p><b>Does not guarantee</b> that a paused process notices the end in time. Guard writes that
 * must never happen twice with {@link #token()} and {@link Fence}.
 *
 * <p><b>Threads:</b> thread-safe. A lease belongs to the code that has this object, not to a
 * thread.
 */
public interface Lease extends AutoCloseable {
  /** What a release returned. */
  enum ReleaseResult {
    /** The lease was held until now, and is free. */
    RELEASED,
    /**
     * The lease had expired or was revoked before it was released: another holder may have had it
     * since.
     */
    LOST
  }

  /** What a renewal returned. */
  enum RenewResult {
    /** The lease is held for its whole duration again. */
    RENEWED,
    /** The lease had expired or was revoked. It cannot be renewed any more. */
    LOST
  }

  /** The key of the lease. */
  LeaseKey key();

  /** The fencing token: greater than the token of every earlier holder. */
  long token();

  /** Remaining time, or zero if expired. Local check, no I/O. */
  Duration remaining();

  /** Whether the lease is still held, as far as this process knows. Local check, no I/O. */
  boolean isValid();

  /**
   * Checks that the lease is held for at least this long. Local check, no I/O.
   *
   * @throws LeaseLostException if it is not
   */
  void ensureValid(Duration margin);

  /**
   * Runs {@code action} once when the lease is lost: when a renewal finds it revoked, when
   * automatic renewal has failed until a quarter of the duration is left, or when it expires. The
   * action does not run if the lease was released in time. Each action runs in a thread of its own;
   * an action that is added after the loss runs at once.
   */
  void onLost(Consumer<LeaseLostException> action);

  /**
   * Extends the lease to its whole duration, unless it is lost. A response of the store that
   * arrives after the end of the lease is a loss, too: an expired lease never comes back.
   *
   * <p>A database decides whether a lease has expired by the moment at which the statement began. A
   * renewal that then waited for a row lock past the end may therefore extend the row in the
   * database, if no other holder has acquired it since. This method returns {@link
   * RenewResult#LOST}, and the row is released in the background. If that fails, it expires within
   * one duration of the lease.
   */
  RenewResult renew();

  /**
   * Releases the lease. A second call does nothing and returns the same result.
   *
   * @throws TransactionStateException if a transaction of Holdfast is open on this thread, because
   *     the next holder would not see its writes; the lease is kept
   * @throws dev.holdfast.HoldfastException if the store did not respond; the lease is no longer
   *     renewed and expires by itself
   */
  ReleaseResult release();

  /**
   * Releases the lease.
   *
   * @throws LeaseLostException if the lease was lost before: the work may have overlapped with the
   *     work of another holder
   */
  @Override
  void close();
}
