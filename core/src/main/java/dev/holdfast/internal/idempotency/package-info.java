/** The SQL of idempotency records. Not for applications. */
@NullMarked
package dev.holdfast.internal.idempotency;

import org.jspecify.annotations.NullMarked;
