/** The words that all parts of the race finder share: steps, results, what became of a run. */
@NullMarked
package dev.holdfast.race.internal.model;

import org.jspecify.annotations.NullMarked;
