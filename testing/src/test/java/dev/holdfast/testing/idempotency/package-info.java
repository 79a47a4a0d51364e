/** Idempotency keeps its contracts on every database. */
@NullMarked
package dev.holdfast.testing.idempotency;

import org.jspecify.annotations.NullMarked;
