package dev.holdfast.event.internal;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;

/**
 * The history of a database that keeps each day in a partition of its own. Making and dropping one
 * are each for a transaction of their own, with a limit on how long it waits for locks.
 * Thread-safe.
 */
public interface HistoryDays {
  /** Where the history is one table. */
  HistoryDays NONE =
      new HistoryDays() {
        @Override
        public List<HistoryDay> missing(Connection connection) {
          return List.of();
        }

        @Override
        public boolean make(Connection connection, HistoryDay day) {
          return false;
        }

        @Override
        public List<HistoryDay> endedBefore(Connection connection, Duration ago) {
          return List.of();
        }

        @Override
        public boolean drop(Connection connection, HistoryDay day) {
          return false;
        }

        @Override
        public int empty(Connection connection, int shard, HistoryDay day, int most) {
          return 0;
        }
      };

  /** Of today and the days to come, those that are not there yet. Locks nothing. */
  List<HistoryDay> missing(Connection connection) throws SQLException;

  /** Makes a day; false where it is there by now, or events of it are kept elsewhere already. */
  boolean make(Connection connection, HistoryDay day) throws SQLException;

  /** The days that were over so long ago, the oldest first. Locks nothing. */
  List<HistoryDay> endedBefore(Connection connection, Duration ago) throws SQLException;

  /** Drops a day with all its events; false where another instance is about to. */
  boolean drop(Connection connection, HistoryDay day) throws SQLException;

  /** Deletes up to {@code most} events of a day that cannot be dropped. */
  int empty(Connection connection, int shard, HistoryDay day, int most) throws SQLException;
}
