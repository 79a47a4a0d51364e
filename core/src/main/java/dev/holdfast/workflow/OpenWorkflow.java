package dev.holdfast.workflow;

import dev.holdfast.idempotency.IdempotencyKey;
import dev.holdfast.idempotency.spi.OpenRequest;

/**
 * A request whose lease is renewed until it is completed, with its steps. For integrations, made by
 * {@link Workflows#begin}. Not for implementation by users.
 */
public interface OpenWorkflow extends OpenRequest.Leased, StepContext {
  @Override
  IdempotencyKey key();
}
