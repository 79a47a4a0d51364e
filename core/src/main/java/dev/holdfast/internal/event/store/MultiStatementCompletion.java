package dev.holdfast.internal.event.store;

import dev.holdfast.event.EventStatus;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Takes events out of the hands of an instance, all of them first locked by their ids. */
final class MultiStatementCompletion {
  private static final String LOCK =
      "SELECT id, version FROM {event}%s WHERE id IN (%s) AND shard = ? AND status = 1 ORDER BY id"
          + " FOR UPDATE";

  private static final String EXPLAIN =
      "UPDATE {event} SET error = ? WHERE id = ? AND shard = ? AND status = 1";

  private static final String KEEP =
      "INSERT INTO {event_history} ("
          + EventColumns.MOVED
          + ", status, error, ended_at) SELECT "
          + EventColumns.MOVED
          + ", %d, %s, {now} FROM {event}%s WHERE id IN (%s) AND shard = ? AND status = 1";

  private static final String PUT_BACK =
      "UPDATE {event} SET status = 0, version = version + 1, attempts = attempts + ?, crashes = crashes * ?,"
          + " due_at ="
          + " COALESCE(?, {now+}, due_at), owner = NULL, running_key = NULL, cancel_requested ="
          + " FALSE, error = COALESCE(?, error) WHERE id = ? AND shard = ? AND version = ? AND"
          + " status = 1";

  /** Not sorted: the index has the oldest first, and what H2 sorts it locks. */
  private static final String LOCK_OLD =
      "SELECT id FROM {event_history}%s WHERE shard = ? AND status = ? AND ended_at < {now+}%s FOR"
          + " UPDATE SKIP LOCKED";

  private final EventStatements sql;
  private final MultiStatementSql words;

  MultiStatementCompletion(EventStatements sql, MultiStatementSql words) {
    this.sql = sql;
    this.words = words;
  }

  Set<Long> end(Connection connection, int shard, Collection<CompletionUpdate> endings)
      throws SQLException {
    Map<Long, Integer> versions = new HashMap<>();
    endings.forEach(ending -> versions.put(ending.id(), ending.version()));
    Set<Long> ours = lock(connection, shard, versions);
    List<CompletionUpdate> ending =
        endings.stream().filter(one -> ours.contains(one.id())).toList();
    explain(connection, shard, ending);
    Map<Short, List<Long>> byStatus = new TreeMap<>();
    for (CompletionUpdate one : ending) {
      byStatus
          .computeIfAbsent(StatusCode.of(one.status()), ignored -> new ArrayList<>())
          .add(one.id());
    }
    for (Map.Entry<Short, List<Long>> some : byStatus.entrySet()) {
      move(connection, shard, some.getKey(), some.getValue());
    }
    return ours;
  }

  /** Those that are in this version in the hands of an instance, and now locked. */
  private Set<Long> lock(Connection connection, int shard, Map<Long, Integer> versions)
      throws SQLException {
    Set<Long> ours = new HashSet<>();
    for (List<Long> ids : MultiStatementSql.lists(versions.keySet())) {
      String lock = LOCK.formatted(words.byId(), MultiStatementSql.marks(ids.size()));
      sql
          .query(
              connection,
              sql.text(lock),
              row -> Map.entry(row.getLong(1), row.getInt(2)),
              values(ids, shard))
          .stream()
          .filter(versions.entrySet()::contains)
          .forEach(found -> ours.add(found.getKey()));
    }
    return ours;
  }

  private void explain(Connection connection, int shard, List<CompletionUpdate> endings)
      throws SQLException {
    List<@Nullable Object[]> rows = new ArrayList<>();
    for (CompletionUpdate ending : endings) {
      if (ending.error() != null) {
        rows.add(new Object[] {ending.error(), ending.id(), shard});
      }
    }
    batch(connection, sql.text(EXPLAIN), rows);
  }

  /** Moves locked events to the history. */
  void move(Connection connection, int shard, int status, Collection<Long> events)
      throws SQLException {
    for (List<Long> ids : MultiStatementSql.lists(events)) {
      String marks = MultiStatementSql.marks(ids.size());
      @Nullable Object[] values = values(ids, shard);
      // what has ended well does not keep the error of an earlier attempt
      String error = status == StatusCode.of(EventStatus.COMPLETED) ? "NULL" : "error";
      String keep = KEEP.formatted(status, error, words.byId(), marks);
      int kept = sql.update(connection, sql.text(keep), values);
      int removed =
          sql.update(
              connection,
              sql.text(
                  words.delete() + " WHERE id IN (" + marks + ") AND shard = ? AND status = 1"),
              values);
      requireAll(ids.size(), kept);
      requireAll(ids.size(), removed);
    }
  }

  /** Deletes up to {@code most} that ended longer ago; one status after the other, by the index. */
  int forget(Connection connection, int shard, Duration kept, int most) throws SQLException {
    String lock = LOCK_OLD.formatted(words.by("holdfast_event_history_ended"), words.limit());
    int forgotten = 0;
    for (EventStatus status : EventStatus.values()) {
      if (status.isEnded() && forgotten < most) {
        List<Long> old =
            sql.query(
                connection,
                sql.text(lock),
                row -> row.getLong(1),
                shard,
                StatusCode.of(status),
                AbstractEventStore.micros(kept.negated()),
                most - forgotten);
        forgotten += old.size();
        delete(connection, shard, old);
      }
    }
    return forgotten;
  }

  private void delete(Connection connection, int shard, List<Long> ended) throws SQLException {
    for (List<Long> ids : MultiStatementSql.lists(ended)) {
      String delete =
          words.deleteEnded()
              + " WHERE id IN ("
              + MultiStatementSql.marks(ids.size())
              + ") AND shard = ?";
      requireAll(ids.size(), sql.update(connection, sql.text(delete), values(ids, shard)));
    }
  }

  Set<Long> putBack(Connection connection, int shard, Collection<Requeue> events)
      throws SQLException {
    Map<Long, Integer> versions = new HashMap<>();
    events.forEach(event -> versions.put(event.id(), event.version()));
    Set<Long> ours = lock(connection, shard, versions);
    List<@Nullable Object[]> rows = new ArrayList<>();
    for (Requeue event : events) {
      if (ours.contains(event.id())) {
        rows.add(
            new @Nullable Object[] {
              event.attemptCounts() ? 0 : -1,
              event.isOutcome() ? 0 : 1,
              event.at(),
              AbstractEventStore.micros(event.after()),
              event.error(),
              event.id(),
              shard,
              event.version()
            });
      }
    }
    batch(connection, sql.text(PUT_BACK), rows);
    return ours;
  }

  /** Changes rows that are locked, one by each of these. */
  private void batch(Connection connection, String change, List<@Nullable Object[]> rows)
      throws SQLException {
    if (rows.isEmpty()) {
      return;
    }
    try (PreparedStatement statement = connection.prepareStatement(change)) {
      for (@Nullable Object[] row : rows) {
        sql.bind(statement, row);
        statement.addBatch();
      }
      for (int count : statement.executeBatch()) {
        // drivers that send a batch as one statement may not know the count of each
        requireAll(1, count == PreparedStatement.SUCCESS_NO_INFO ? 1 : count);
      }
    }
  }

  private static @Nullable Object[] values(List<Long> ids, int shard) {
    List<@Nullable Object> values = new ArrayList<>(ids);
    values.add(shard);
    return values.toArray();
  }

  private static void requireAll(int locked, int changed) throws SQLException {
    if (changed != locked) {
      throw new SQLException("all locked events must be changed, " + locked + ", were " + changed);
    }
  }
}
