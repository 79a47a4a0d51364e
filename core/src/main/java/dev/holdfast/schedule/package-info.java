/**
 * Schedules: what recurs, and when.
 *
 * <p>A {@link dev.holdfast.schedule.Recurrence} is pure calendar: it knows the rules of its zone,
 * and neither a clock nor a database. {@link dev.holdfast.schedule.Schedules} are recurrences in
 * the database, that make events.
 */
@NullMarked
package dev.holdfast.schedule;

import org.jspecify.annotations.NullMarked;
