/** Small pieces that every capability of the core shares. Not for users. */
@NullMarked
package dev.holdfast.internal;

import org.jspecify.annotations.NullMarked;
