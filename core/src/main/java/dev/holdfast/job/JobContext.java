package dev.holdfast.job;

import dev.holdfast.LeaseLostException;
import dev.holdfast.lease.Lease;
import java.time.Duration;
import java.util.function.Consumer;

/**
 * What the action of an exclusive job knows about its lease. The lease ends after the maximum
 * duration of the job and cannot be renewed. Thread-safe.
 */
public interface JobContext {
  /** The fencing token of this run: greater than that of every earlier run. */
  long token();

  /** Remaining time of this run, or zero if its lease has expired. Local check, no I/O. */
  Duration remaining();

  /**
   * Checks that the run has at least this much time left. Local check, no I/O.
   *
   * @throws LeaseLostException if it has not
   */
  void ensureValid(Duration margin);

  /**
   * As {@link Lease#onLost}; the thread of the job is interrupted in any case. Because the lease is
   * not renewed, a forced release is noticed only after the maximum duration, or at the end of the
   * run, where this action does not run. It is noticed at once if this process listens to the lease
   * store because a thread of it waits for a lease.
   */
  void onLost(Consumer<LeaseLostException> action);
}
