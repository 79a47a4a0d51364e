package dev.holdfast.job;

/**
 * A job that runs on one instance at a time, and not too soon after its last run. A run:
 *
 * <ol>
 *   <li>reads the last run; if that started too recently, there is nothing to do;
 *   <li>acquires the lease of the job for the maximum duration, without waiting;
 *   <li>writes its start, unless another run has started since; from now on no other run starts for
 *       the minimum interval, also if this process crashes;
 *   <li>runs the action, which is interrupted when the lease is lost;
 *   <li>writes its end, unless a later run has started, and releases the lease.
 * </ol>
 *
 * <p>The clock of the database decides. The lease is not renewed: the maximum duration is the end.
 * Immutable and thread-safe; works with any scheduler.
 */
public interface Job {
  /** The name of the job. */
  String name();

  /**
   * Runs the action on this thread if no other run is active and the last one is long enough ago.
   * Does not wait for other runs.
   *
   * @throws X what the action throws; the run is recorded as failed
   * @throws dev.holdfast.LeaseLostException if the lease was lost before the action had ended, for
   *     example because it took longer than the maximum duration: its work may have overlapped with
   *     the next run. It also replaces the {@link InterruptedException} of an action that was
   *     interrupted for the loss, which becomes its cause; the interrupt status is cleared
   * @throws dev.holdfast.transaction.TransactionStateException inside an open transaction of
   *     Holdfast
   * @throws dev.holdfast.HoldfastException if the database or the lease store did not respond; the
   *     action has not started
   */
  <X extends Exception> JobRunResult run(Action<X> action) throws X;

  /** The work of a job. */
  @FunctionalInterface
  interface Action<X extends Exception> {
    /** Runs the work; the thread is interrupted when the lease is lost. */
    void run(JobContext context) throws X;
  }
}
