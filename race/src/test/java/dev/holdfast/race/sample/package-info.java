/** Bugs as applications have them, each with a twin that is fixed: what the race finder finds. */
@NullMarked
package dev.holdfast.race.sample;

import org.jspecify.annotations.NullMarked;
