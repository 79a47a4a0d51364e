package dev.holdfast.lease;

import java.time.Duration;
import java.util.function.Consumer;

/**
 * A right to a name for a time, which its holder knows the end of.
 *
 * <p>It is held until {@link #remaining()} is zero: counted by this process's monotonic clock from
 * before the request was sent, so that it ends here before it ends in the store. After a pause of
 * the process it may have ended without anybody having been told: what must never happen twice is
 * to be guarded where it happens, by {@link #token()} and {@code Fence}.
 *
 * <p>It belongs to whoever has this object, and to no thread. Thread-safe.
 */
public interface Lease extends AutoCloseable {
  /** What it is about. */
  LeaseKey key();

  /** The number that proves it: greater than that of every earlier holder. */
  long token();

  /** How long it is still held, zero where it is over. Asks nobody. */
  Duration remaining();

  /** Whether it is still held, as far as this process knows. Asks nobody. */
  boolean isValid();

  /**
   * Makes sure that it is held for at least so long. Asks nobody.
   *
   * @throws LeaseLostException where it is not
   */
  void ensureValid(Duration margin);

  /**
   * Runs {@code action} once when the lease is lost: when a renewal finds it taken away, when
   * automatic renewal has not worked until a quarter of the lease is left, or when it runs out. Not
   * when it is released in time. Each action runs in a thread of its own; one that is added after
   * the loss runs at once.
   */
  void onLost(Consumer<LeaseLostException> action);

  /**
   * Makes it last for its whole duration again, unless it is lost. It is also lost where the answer
   * of the store comes after the end: an expired lease never comes back.
   *
   * <p>A database decides whether a lease has expired by the moment at which the statement began.
   * So a renewal that then waited for a row lock past the end may prolong the row in the database,
   * though nobody else has acquired it meanwhile. This method answers {@link RenewResult#LOST} then
   * and the row is released in the background; where that fails, it expires within one duration of
   * the lease.
   */
  RenewResult renew();

  /**
   * Ends it, so that the next one can have it. A second call does nothing, and answers as the
   * first.
   *
   * @throws LeaseInTransactionException where a transaction of Holdfast is open on this thread:
   *     what it has written is not visible yet to the next holder; the lease is kept
   * @throws dev.holdfast.HoldfastException where the store did not answer; the lease is not renewed
   *     any more, and just runs out
   */
  ReleaseResult release();

  /**
   * Releases it.
   *
   * @throws LeaseLostException where it was lost before: the work under it may have met that of
   *     another holder
   */
  @Override
  void close();
}
