/** Codecs for JSON, with Jackson 3. */
@NullMarked
package dev.holdfast.jackson;

import org.jspecify.annotations.NullMarked;
