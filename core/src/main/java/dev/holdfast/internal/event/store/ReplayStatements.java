package dev.holdfast.internal.event.store;

import dev.holdfast.event.EventId;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Schedules ended events once more, each at most once.
 *
 * <ol>
 *   <li>Locks those that were not replayed yet, in the order of their numbers, so that nobody waits
 *       in a circle. Whoever is about to replay one of them is waited for.
 *   <li>Stores their repetitions.
 *   <li>Notes in each what it was replayed as: its number is known only now.
 * </ol>
 */
final class ReplayStatements {
  private final EventStatements sql;
  private final String lock;
  private final String note;

  ReplayStatements(EventStatements sql) {
    this.sql = sql;
    this.lock =
        sql.text(
            "SELECT id FROM {event_history} WHERE shard = ? AND id IN (%s) AND replayed_as IS NULL"
                + " ORDER BY id FOR UPDATE");
    this.note =
        sql.text(
            "UPDATE {event_history} SET replayed_as = ? WHERE shard = ? AND id = ? AND replayed_as"
                + " IS NULL");
  }

  Map<Long, Long> run(
      Connection connection, int shard, Map<Long, NewEvent> repetitions, EventStore store)
      throws SQLException {
    List<Long> originals = lock(connection, shard, repetitions);
    List<NewEvent> events = new ArrayList<>();
    originals.forEach(id -> events.add(Objects.requireNonNull(repetitions.get(id))));
    List<Long> ids = events.isEmpty() ? List.of() : store.insert(connection, shard, events);
    Map<Long, Long> replayed = new HashMap<>();
    for (int i = 0; i < ids.size(); i++) {
      long original = originals.get(i);
      EventId again = new EventId(shard, ids.get(i));
      int noted = sql.update(connection, note, again.toString(), shard, original);
      if (noted != 1) {
        throw new SQLException(
            "a locked event must be noted as replayed, the event "
                + new EventId(shard, original)
                + " as "
                + again
                + ", rows changed were "
                + noted);
      }
      replayed.put(original, again.id());
    }
    return replayed;
  }

  private List<Long> lock(Connection connection, int shard, Map<Long, NewEvent> repetitions)
      throws SQLException {
    List<Long> locked = new ArrayList<>();
    for (List<Long> ids : MultiStatementSql.lists(repetitions.keySet())) {
      List<@Nullable Object> values = new ArrayList<>();
      values.add(shard);
      values.addAll(ids);
      String locking = lock.formatted(MultiStatementSql.marks(ids.size()));
      locked.addAll(sql.query(connection, locking, row -> row.getLong(1), values.toArray()));
    }
    return locked;
  }
}
