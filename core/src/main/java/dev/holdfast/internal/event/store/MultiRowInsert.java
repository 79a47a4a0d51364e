package dev.holdfast.internal.event.store;

import dev.holdfast.internal.sql.Dialect;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Inserts rows and answers the ids that the database gave them, in the order of the rows. */
final class MultiRowInsert {
  private static final int MAX_ROWS = 200;

  /** Well below the longest statement that servers accept by default, 16 MB on MariaDB. */
  private static final long MAX_CHARACTERS = 2_000_000;

  private static final String INTO_EVENTS =
      "INSERT INTO {event} (shard, status, version, attempts, crashes, cancel_requested, created_at,"
          + " due_at, position_at, priority, queue, type, event_key, ordering_key, limit_key, tags,"
          + " useless_at, replay_of, payload, payload_bytes) VALUES ";

  private static final String ROW =
      "(?, 0, 1, 0, 0, FALSE, {now}, COALESCE(?, {now+}), COALESCE(?, {now+}), ?, ?, ?, ?, ?, ?, ?,"
          + " ?, ?, ?, ?)";

  private final EventStatements sql;
  private final Dialect dialect;

  MultiRowInsert(EventStatements sql, Dialect dialect) {
    this.sql = sql;
    this.dialect = dialect;
  }

  /** Inserts events, as many at once as fit into a statement. */
  List<Long> events(Connection connection, int shard, List<NewEvent> events) throws SQLException {
    List<Long> ids = new ArrayList<>(events.size());
    int from = 0;
    while (from < events.size()) {
      int to = from;
      long characters = 0;
      while (to < events.size()
          && to - from < MAX_ROWS
          && (to == from || characters + size(events.get(to)) <= MAX_CHARACTERS)) {
        characters += size(events.get(to++));
      }
      ids.addAll(insert(connection, shard, events.subList(from, to)));
      from = to;
    }
    return ids;
  }

  private static long size(NewEvent event) {
    String text = event.payload().text();
    byte[] bytes = event.payload().bytes();
    return (text == null ? 0L : text.length()) + (bytes == null ? 0L : bytes.length);
  }

  private List<Long> insert(Connection connection, int shard, List<NewEvent> events)
      throws SQLException {
    List<@Nullable Object> values = new ArrayList<>();
    events.forEach(event -> addRow(values, shard, event));
    String rows = String.join(", ", Collections.nCopies(events.size(), ROW));
    return rows(connection, INTO_EVENTS + rows, events.size(), values.toArray());
  }

  private static void addRow(List<@Nullable Object> values, int shard, NewEvent event) {
    Long delay = event.after() == null ? Long.valueOf(0) : AbstractEventStore.micros(event.after());
    values.add(shard);
    values.add(event.at());
    values.add(delay);
    values.add(event.at());
    values.add(delay);
    values.add(event.priority());
    values.add(event.queue());
    values.add(event.type());
    values.add(event.key());
    values.add(event.orderingKey());
    values.add(event.limitKey());
    values.add(event.tags());
    values.add(event.uselessAt());
    values.add(event.replayOf());
    values.add(event.payload().text());
    values.add(event.payload().bytes());
  }

  /** Runs an {@code INSERT} of as many rows. */
  List<Long> rows(Connection connection, String insert, int count, @Nullable Object... values)
      throws SQLException {
    List<Long> ids;
    if (dialect.insertReturnsRow()) {
      String returning = dialect.returning(sql.text(insert), "id");
      ids = sql.query(connection, returning, row -> row.getLong(1), values);
    } else {
      sql.update(connection, sql.text(insert), values);
      ids = lastIds(connection, count);
    }
    if (ids.size() != count) {
      throw new SQLException("as many ids as rows must be answered, " + count + ", was " + ids);
    }
    return ids;
  }

  /**
   * MySQL tells the first id only. A statement whose rows are counted beforehand has the following
   * ones for the rest, in every {@code innodb_autoinc_lock_mode}.
   */
  private List<Long> lastIds(Connection connection, int count) throws SQLException {
    return sql.query(
            connection,
            "SELECT LAST_INSERT_ID(), @@SESSION.auto_increment_increment",
            row -> {
              List<Long> ids = new ArrayList<>(count);
              for (int i = 0; i < count; i++) {
                ids.add(row.getLong(1) + i * row.getLong(2));
              }
              return ids;
            })
        .get(0);
  }
}
