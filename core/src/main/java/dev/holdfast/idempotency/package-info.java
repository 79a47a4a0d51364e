/**
 * Idempotency: a request with an idempotency key takes effect once, and duplicates get the same
 * result. {@link dev.holdfast.idempotency.Idempotency} commits the record together with the changes
 * of the request. For effects outside of the database use {@code dev.holdfast.workflow}.
 */
@NullMarked
package dev.holdfast.idempotency;

import org.jspecify.annotations.NullMarked;
