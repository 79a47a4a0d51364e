/** One run: the actors' threads, and who of them may go. */
@NullMarked
package dev.holdfast.race.internal.run;

import org.jspecify.annotations.NullMarked;
