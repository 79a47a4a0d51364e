package dev.holdfast.internal.event.store;

import java.time.LocalDate;

/**
 * The part of the history that has the events which ended on a day, in UTC.
 *
 * @param table its name as it stands in SQL, quoted by the database
 */
public record HistoryPartition(String table, LocalDate day) {}
