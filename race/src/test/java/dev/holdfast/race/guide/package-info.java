/** The code of the guide, compiled and run: {@code docs/guides/races.md}. */
@org.jspecify.annotations.NullMarked
package dev.holdfast.race.guide;
