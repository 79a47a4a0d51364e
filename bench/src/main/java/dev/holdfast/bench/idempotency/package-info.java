/** Idempotency beside what is written by hand, and beside nothing. */
@NullMarked
package dev.holdfast.bench.idempotency;

import org.jspecify.annotations.NullMarked;
