/** The SQL of idempotency records. */
@NullMarked
package dev.holdfast.internal.idempotency.store;

import org.jspecify.annotations.NullMarked;
