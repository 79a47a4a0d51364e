package dev.holdfast.lease;

import dev.holdfast.HoldfastException;
import org.jspecify.annotations.Nullable;

/** A lease that is not held any more, or not for as long as was asked. */
public final class LeaseLostException extends HoldfastException {
  private static final long serialVersionUID = 1L;

  private final LeaseKey key;
  private final long token;
  private final boolean endOfJob;

  LeaseLostException(LeaseKey key, long token, String why, @Nullable Throwable cause) {
    this(
        key,
        token,
        "the lease " + key + " with the token " + token + " must be held, but " + why,
        cause,
        false);
  }

  private LeaseLostException(
      LeaseKey key, long token, String message, @Nullable Throwable cause, boolean endOfJob) {
    super("lease-lost", message, cause);
    this.key = key;
    this.token = token;
    this.endOfJob = endOfJob;
  }

  /** Of a run of a job, with a message that speaks of the job. */
  static LeaseLostException ofJob(Lease lease, String message, @Nullable Throwable cause) {
    return new LeaseLostException(lease.key(), lease.token(), message, cause, true);
  }

  /** Whether the job itself says so, which then has logged it. */
  boolean isEndOfJob() {
    return endOfJob;
  }

  /** Of what. */
  public LeaseKey key() {
    return key;
  }

  /** The token that it had. */
  public long token() {
    return token;
  }
}
