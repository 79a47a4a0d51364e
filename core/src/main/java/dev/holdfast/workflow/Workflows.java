package dev.holdfast.workflow;

import dev.holdfast.BackgroundService;
import dev.holdfast.LeaseLostException;
import dev.holdfast.idempotency.Fingerprint;
import dev.holdfast.idempotency.Idempotency.DeleteResult;
import dev.holdfast.idempotency.IdempotencyKey;
import dev.holdfast.idempotency.IdempotencyOptions;
import dev.holdfast.idempotency.IdempotencyRecord;
import dev.holdfast.idempotency.IdempotencyRequest;
import dev.holdfast.idempotency.IdempotencyResult;
import dev.holdfast.idempotency.RejectedException;
import dev.holdfast.idempotency.spi.BeginResult;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Runs requests in recorded steps, for effects outside of the database, such as a payment.
 *
 * <pre>{@code
 * workflows.run(IdempotencyRequest.of("pay", key, String.class), steps -> {
 *   String charge = steps.step("charge", String.class,
 *       () -> gateway.charge(order, steps.idempotencyKey("charge")));
 *   return steps.transactionalStep(
 *       "order", String.class, tx -> orders.markPaid(tx, order, charge));
 * });
 * }</pre>
 *
 * <p><b>Guarantees:</b> one attempt at a time owns the lease of a request. It is renewed while its
 * process lives; another attempt may take over only after it was released or has expired. An
 * attempt that has lost the lease can neither record, complete, renew nor release anything. A
 * failed or crashed request continues after its last recorded step, when its client retries or by
 * {@link #recovery}.
 *
 * <p><b>Does not guarantee</b> that a step runs once: see {@link StepContext}.
 *
 * <p><b>Transactions:</b> uses connections of its own. Do not call it inside a transaction.
 *
 * <p><b>Defaults:</b> see {@link IdempotencyOptions.Builder}.
 *
 * <p>Thread-safe. Not for implementation by users.
 */
public interface Workflows {
  /** The options that it was built with. */
  IdempotencyOptions options();

  /**
   * Runs {@code work} under the lease of the request, unless the request is completed. If the work
   * throws, the lease is released, so that the request may be repeated at once; a rejection is
   * recorded. If the lease is lost, the thread is interrupted.
   *
   * @throws RejectedException if the work rejects the request, or has rejected it before
   * @throws LeaseLostException if the lease was lost before the result was stored
   */
  <T extends @Nullable Object, X extends Exception> IdempotencyResult<T> run(
      IdempotencyRequest<T> request, StepContext.Callback<T, X> work) throws X;

  /**
   * Runs a workflow, unless it is completed. As {@link #run(IdempotencyRequest,
   * StepContext.Callback)}, with the input stored until the workflow is completed, so that {@link
   * #recovery} can resume it. The encoded input is the fingerprint.
   */
  <A extends @Nullable Object, T extends @Nullable Object> IdempotencyResult<T> run(
      Workflow<A, T> workflow, IdempotencyKey key, A input) throws Exception;

  /**
   * As {@link #run(Workflow, IdempotencyKey, Object)}, with a fingerprint: if only a part of the
   * input identifies a payload, or if the codec may encode the same input differently in the
   * future.
   */
  <A extends @Nullable Object, T extends @Nullable Object> IdempotencyResult<T> run(
      Workflow<A, T> workflow, IdempotencyKey key, Fingerprint fingerprint, A input)
      throws Exception;

  /**
   * Resumes interrupted workflows of these names, in the background. Nothing happens before it is
   * started.
   */
  WorkflowRecovery recovery(Workflow<?, ?>... workflows);

  /**
   * Begins a request, for integrations that cannot put the work into a callback. Its lease is
   * renewed until it is completed, rejected, released or abandoned. A lost lease interrupts no
   * thread. Results are bytes; the codec of the request is not used.
   */
  BeginResult<OpenWorkflow> begin(IdempotencyRequest<?> request);

  /** The record of a key. */
  Optional<IdempotencyRecord> find(IdempotencyKey key);

  /** Deletes the record of a key, unless an attempt owns its lease. */
  DeleteResult delete(IdempotencyKey key);

  /**
   * Deletes all records whose retention is over, in batches. Workflows that are not completed are
   * never deleted.
   *
   * @return how many records were deleted
   */
  int deleteExpired();

  /** As {@link dev.holdfast.idempotency.Idempotency#cleaner()}. */
  BackgroundService cleaner();

  /** As {@link dev.holdfast.idempotency.Idempotency#cleaner(Duration)}. */
  BackgroundService cleaner(Duration interval);
}
