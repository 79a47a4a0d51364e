/**
 * For integrations: {@link dev.holdfast.idempotency.spi.IdempotencyStore} is what a backend
 * implements; {@link dev.holdfast.idempotency.spi.BeginResult} and {@link
 * dev.holdfast.idempotency.spi.OpenRequest} are for code that cannot put the work into a callback,
 * such as an HTTP filter.
 */
@NullMarked
package dev.holdfast.idempotency.spi;

import org.jspecify.annotations.NullMarked;
