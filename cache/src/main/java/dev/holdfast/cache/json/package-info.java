/** Cached values as JSON. */
@NullMarked
package dev.holdfast.cache.json;

import org.jspecify.annotations.NullMarked;
