package dev.holdfast.internal.event.store;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Forgets the keys of events that nobody knows any more, some at a time, in the order of the keys.
 *
 * <ol>
 *   <li>Reads keys, without locks. Only those that are older than what is kept can be without their
 *       event, so the others cost nothing more. A key that somebody is about to store, with its
 *       event, is not seen.
 *   <li>Leaves out those whose event is live, then those whose event has ended: an event may end
 *       between the two looks, never the other way round.
 *   <li>Locks the rest and deletes them, if they still are of the same event: whoever schedules the
 *       key meanwhile may have given it to a new one. What others have locked is left to the next
 *       time, so that nobody waits in a circle.
 * </ol>
 */
final class EventKeyPruner {
  private final EventStatements sql;
  private final String read;
  private final String live;
  private final String ended;
  private final String lock;
  private final String forget;

  /**
   * @param limit the end of a query that wants no more rows than its parameter says
   */
  EventKeyPruner(EventStatements sql, String limit) {
    this.sql = sql;
    this.read =
        sql.text(
            "SELECT event_key, id, CASE WHEN created_at < {now+} THEN 1 ELSE 0 END FROM {event_key}"
                + " WHERE shard = ? AND event_key > ? ORDER BY event_key"
                + limit);
    this.live = sql.text("SELECT id FROM {event} WHERE shard = ? AND id IN (%s)");
    this.ended = sql.text("SELECT id FROM {event_history} WHERE shard = ? AND id IN (%s)");
    this.lock =
        sql.text(
            "SELECT event_key, id FROM {event_key} WHERE shard = ? AND event_key IN (%s) FOR UPDATE"
                + " SKIP LOCKED");
    this.forget = sql.text("DELETE FROM {event_key} WHERE shard = ? AND event_key = ? AND id = ?");
  }

  private record Key(String text, long id, boolean old) {}

  PrunedKeys run(Connection connection, int shard, String after, Duration kept, int most)
      throws SQLException {
    List<Key> keys =
        sql.query(
            connection,
            read,
            row -> new Key(row.getString(1), row.getLong(2), row.getInt(3) == 1),
            AbstractEventStore.micros(kept.negated()),
            shard,
            after,
            most);
    Map<Long, Key> lost = new HashMap<>();
    keys.stream().filter(Key::old).forEach(key -> lost.put(key.id, key));
    leaveOut(connection, shard, live, lost);
    leaveOut(connection, shard, ended, lost);
    int forgotten = lost.isEmpty() ? 0 : forget(connection, shard, List.copyOf(lost.values()));
    String last = keys.size() < most ? "" : keys.get(keys.size() - 1).text;
    return new PrunedKeys(last, keys.size(), forgotten);
  }

  private void leaveOut(Connection connection, int shard, String query, Map<Long, Key> lost)
      throws SQLException {
    for (List<Long> ids : MultiStatementSql.lists(lost.keySet())) {
      sql.query(
              connection,
              query.formatted(MultiStatementSql.marks(ids.size())),
              row -> row.getLong(1),
              values(shard, ids))
          .forEach(lost::remove);
    }
  }

  private int forget(Connection connection, int shard, List<Key> keys) throws SQLException {
    Set<Key> locked =
        new HashSet<>(
            sql.query(
                connection,
                lock.formatted(MultiStatementSql.marks(keys.size())),
                row -> new Key(row.getString(1), row.getLong(2), true),
                values(shard, keys.stream().map(Key::text).toList())));
    int forgotten = 0;
    for (Key key : keys) {
      if (locked.contains(key)) {
        forgotten += sql.update(connection, forget, shard, key.text, key.id);
      }
    }
    return forgotten;
  }

  private static @Nullable Object[] values(int shard, List<?> rest) {
    List<@Nullable Object> values = new ArrayList<>();
    values.add(shard);
    values.addAll(rest);
    return values.toArray();
  }
}
