package dev.holdfast.idempotency.spi;

import dev.holdfast.idempotency.Idempotency;
import dev.holdfast.idempotency.IdempotencyRequest;
import dev.holdfast.internal.Require;
import dev.holdfast.transaction.Transaction;

/**
 * What {@code holdfast.idempotency()} also offers to integrations that cannot put the work into a
 * callback, such as an HTTP filter. Not for implementation by users.
 */
public interface IdempotencyIntegration extends Idempotency {
  /**
   * Casts the service of a {@code Holdfast}.
   *
   * @throws dev.holdfast.InvalidArgumentException if it is not one, such as a mock
   */
  static IdempotencyIntegration of(Idempotency idempotency) {
    Require.that(
        idempotency instanceof IdempotencyIntegration,
        "idempotency must be the service of a Holdfast");
    return (IdempotencyIntegration) idempotency;
  }

  /**
   * Begins a request as part of a transaction. It must be {@linkplain OpenRequest#complete
   * completed} before the transaction commits. Results are bytes; the codec of the request is not
   * used.
   */
  BeginResult<OpenRequest.InTransaction> begin(Transaction tx, IdempotencyRequest<?> request);
}
