/** The race finder: see {@link dev.holdfast.race.Race}. */
@NullMarked
package dev.holdfast.race;

import org.jspecify.annotations.NullMarked;
