/**
 * Idempotency keys for calls to others: {@link dev.holdfast.idempotency.http.IdempotentHttpClient}
 * sends a request again without its taking effect twice.
 */
@NullMarked
package dev.holdfast.idempotency.http;

import org.jspecify.annotations.NullMarked;
