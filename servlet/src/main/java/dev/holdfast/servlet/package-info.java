/**
 * The HTTP edge: {@link dev.holdfast.servlet.IdempotencyFilter} makes requests with an {@code
 * Idempotency-Key} take effect once, {@link dev.holdfast.servlet.Precondition} has changes say
 * which version they change, and {@link dev.holdfast.servlet.Problem} tells what went wrong.
 */
@NullMarked
package dev.holdfast.servlet;

import org.jspecify.annotations.NullMarked;
