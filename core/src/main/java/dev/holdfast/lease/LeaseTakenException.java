package dev.holdfast.lease;

import dev.holdfast.HoldfastException;
import java.time.Duration;

/** A lease that was not to be had in the time that there was for waiting. */
public final class LeaseTakenException extends HoldfastException {
  private static final long serialVersionUID = 1L;

  private final LeaseTarget target;

  LeaseTakenException(LeaseTarget target, Duration waited, boolean interrupted) {
    super(
        interrupted ? "lease-interrupted" : "lease-taken",
        "the lease "
            + target
            + (interrupted
                ? " was not acquired, because the thread was interrupted while it waited"
                : " must be free within "
                    + waited
                    + ", but others had it; wait longer, or try again later"),
        null);
    this.target = target;
  }

  /** What was asked for. */
  public LeaseTarget target() {
    return target;
  }
}
