package dev.holdfast.lease;

import dev.holdfast.HoldfastException;

/** A lease was not acquired within the wait timeout of its request. */
public final class LeaseNotAcquiredException extends HoldfastException {
  private static final long serialVersionUID = 1L;

  private final LeaseRequest request;

  /**
   * @param interrupted whether the thread was interrupted while it waited
   */
  public LeaseNotAcquiredException(LeaseRequest request, boolean interrupted) {
    super(
        interrupted ? "lease-interrupted" : "lease-wait-timeout",
        "Cannot acquire the lease "
            + request.target()
            + (interrupted
                ? ": the thread was interrupted while it waited."
                : " within "
                    + request.waitTimeout()
                    + ": another holder has it. Raise waitTimeout, or retry later."),
        null);
    this.request = request;
  }

  /** The request that was not granted. */
  public LeaseRequest request() {
    return request;
  }
}
