package dev.holdfast.workflow;

import dev.holdfast.BackgroundService;
import dev.holdfast.idempotency.IdempotencyKey;
import java.time.Duration;
import java.util.List;

/**
 * Resumes interrupted workflows in the background: those whose process died or whose work failed.
 * Each continues after its last recorded step, whether or not its client retries. Any number of
 * instances may run a recovery; one attempt at a time owns a workflow.
 *
 * <p><b>Defaults:</b> it polls every 5 s. A workflow that fails again waits longer each time, up to
 * 5 minutes. After 100 attempts it is not resumed until its client retries; {@link #exhausted}
 * lists such workflows. Attempts of clients count too, because the store does not distinguish them.
 * A workflow that is not completed is never deleted.
 *
 * <p>{@link #stop} interrupts a workflow that has not ended within its timeout; another instance
 * continues it. Issue in its health: {@code workflow-recovery-failed}. Thread-safe.
 */
public interface WorkflowRecovery extends BackgroundService {
  /** The interval of its polls; 5 s by default, from 1 ms to 1 h. */
  WorkflowRecovery interval(Duration interval);

  /** After how many attempts a workflow is not resumed, also of clients; 100 by default. */
  WorkflowRecovery maxAttempts(int attempts);

  /**
   * Resumes all workflows that are interrupted now, on this thread.
   *
   * @return how many were completed
   */
  int recoverNow();

  /**
   * The keys of up to {@code limit} workflows that are not resumed after too many attempts, oldest
   * first. It also reads their inputs, so use a small limit if those are large.
   */
  List<IdempotencyKey> exhausted(int limit);
}
