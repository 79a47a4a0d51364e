/** Whether what came out of a run could have come out of the actors one after the other. */
@NullMarked
package dev.holdfast.race.internal.judge;

import org.jspecify.annotations.NullMarked;
