/** One run: the threads of the actors, and which of them may go. */
@NullMarked
package dev.holdfast.race.internal.run;

import org.jspecify.annotations.NullMarked;
