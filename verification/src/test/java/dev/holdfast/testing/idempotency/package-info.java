/** Idempotency records on each database, and in several processes. */
@NullMarked
package dev.holdfast.testing.idempotency;

import org.jspecify.annotations.NullMarked;
