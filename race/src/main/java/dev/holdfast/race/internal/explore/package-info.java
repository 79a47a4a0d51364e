/** Which runs are made, in which order, and which need not be. */
@NullMarked
package dev.holdfast.race.internal.explore;

import org.jspecify.annotations.NullMarked;
