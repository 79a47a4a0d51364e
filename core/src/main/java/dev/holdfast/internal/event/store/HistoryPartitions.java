package dev.holdfast.internal.event.store;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;

/**
 * The history of a database that keeps each day in a partition of its own. Making and dropping one
 * are each for a transaction of their own, with a limit on how long it waits for locks.
 * Thread-safe.
 */
public interface HistoryPartitions {
  /** Where the history is one table. */
  HistoryPartitions NONE =
      new HistoryPartitions() {
        @Override
        public List<HistoryPartition> missing(Connection connection) {
          return List.of();
        }

        @Override
        public boolean make(Connection connection, HistoryPartition day) {
          return false;
        }

        @Override
        public List<HistoryPartition> endedBefore(Connection connection, Duration ago) {
          return List.of();
        }

        @Override
        public boolean drop(Connection connection, HistoryPartition day) {
          return false;
        }

        @Override
        public int empty(Connection connection, int shard, HistoryPartition day, int most) {
          return 0;
        }
      };

  /** Of today and the days to come, those that are not there yet. Locks nothing. */
  List<HistoryPartition> missing(Connection connection) throws SQLException;

  /** Makes a day; false where it is there by now, or events of it are kept elsewhere already. */
  boolean make(Connection connection, HistoryPartition day) throws SQLException;

  /** The days that were over so long ago, the oldest first. Locks nothing. */
  List<HistoryPartition> endedBefore(Connection connection, Duration ago) throws SQLException;

  /** Drops a day with all its events; false where another instance is about to. */
  boolean drop(Connection connection, HistoryPartition day) throws SQLException;

  /** Deletes up to {@code most} events of a day that cannot be dropped. */
  int empty(Connection connection, int shard, HistoryPartition day, int most) throws SQLException;
}
