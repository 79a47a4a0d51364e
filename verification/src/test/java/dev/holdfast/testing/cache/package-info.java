/** The shared cache on every database. */
@NullMarked
package dev.holdfast.testing.cache;

import org.jspecify.annotations.NullMarked;
