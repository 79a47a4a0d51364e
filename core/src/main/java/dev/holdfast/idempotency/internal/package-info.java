/** Idempotency records in the tables of each database. Not for users. */
@NullMarked
package dev.holdfast.idempotency.internal;

import org.jspecify.annotations.NullMarked;
