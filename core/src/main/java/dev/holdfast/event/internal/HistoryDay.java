package dev.holdfast.event.internal;

import java.time.LocalDate;

/**
 * The part of the history that has the events which ended on a day, in UTC.
 *
 * @param table its name as it stands in SQL, quoted by the database
 */
public record HistoryDay(String table, LocalDate day) {}
