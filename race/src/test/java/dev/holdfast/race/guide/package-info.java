/** The code of the guide, compiled and run: {@code docs/guides/races.md}. */
@NullMarked
package dev.holdfast.race.guide;

import org.jspecify.annotations.NullMarked;
