package dev.holdfast.lease;

import java.time.Duration;
import java.util.function.Consumer;

/**
 * What the action of an exclusive job knows of its lease, which ends {@code atMost} after it was
 * granted and cannot be prolonged. Thread-safe.
 */
public final class JobRun {
  private final Lease lease;

  JobRun(Lease lease) {
    this.lease = lease;
  }

  /** The number that proves it, for {@link Fence}: greater than that of every earlier run. */
  public long token() {
    return lease.token();
  }

  /** How long the job may still run, zero where its lease is over. Asks nobody. */
  public Duration remaining() {
    return lease.remaining();
  }

  /**
   * Makes sure that the job may still run for so long. Asks nobody.
   *
   * @throws LeaseLostException where it may not
   */
  public void ensureValid(Duration margin) {
    lease.ensureValid(margin);
  }

  /**
   * As {@link Lease#onLost}; the thread of the job is interrupted in any case. As nothing is
   * renewed, a lease that was taken away by force is noticed only when {@code atMost} is over, or
   * when the run ends, which is not told here; at once where this process just listens to the store
   * because something in it waits for a lease.
   */
  public void onLost(Consumer<LeaseLostException> action) {
    lease.onLost(action);
  }
}
