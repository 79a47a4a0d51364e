/** The shared cache: what many instances want at once is computed once. */
@NullMarked
package dev.holdfast.cache;

import org.jspecify.annotations.NullMarked;
