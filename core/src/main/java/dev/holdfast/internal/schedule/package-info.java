/** Fires schedules, and the SQL of their table. Not for applications. */
@NullMarked
package dev.holdfast.internal.schedule;

import org.jspecify.annotations.NullMarked;
