/** Cached values in tables. */
@NullMarked
package dev.holdfast.cache.internal;

import org.jspecify.annotations.NullMarked;
