/** Payloads as JSON. */
@NullMarked
package dev.holdfast.event.json;

import org.jspecify.annotations.NullMarked;
