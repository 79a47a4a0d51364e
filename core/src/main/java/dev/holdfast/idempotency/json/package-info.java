/** Answers as JSON, by Jackson. */
@NullMarked
package dev.holdfast.idempotency.json;

import org.jspecify.annotations.NullMarked;
