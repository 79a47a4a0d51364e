/**
 * Idempotency: the same request takes effect once and is answered the same, however often and
 * wherever it arrives. {@link dev.holdfast.idempotency.Idempotency} keeps the record in the
 * transaction of the business change; {@link dev.holdfast.idempotency.Claims} is for effects
 * outside of the database.
 */
@NullMarked
package dev.holdfast.idempotency;

import org.jspecify.annotations.NullMarked;
