/** Executes requests once, encodes their results and deletes expired records. */
@NullMarked
package dev.holdfast.internal.idempotency;

import org.jspecify.annotations.NullMarked;
