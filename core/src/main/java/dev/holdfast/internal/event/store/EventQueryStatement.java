package dev.holdfast.internal.event.store;

import dev.holdfast.event.EventFilter;
import dev.holdfast.event.EventRecord;
import dev.holdfast.event.EventStatus;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Finds events of one shard by what is known of them, the newest first. */
final class EventQueryStatement {
  private final EventStatements sql;
  private final String byStatus;

  /**
   * @param byStatus what follows the history where it is searched by a status that few have
   */
  EventQueryStatement(EventStatements sql, String byStatus) {
    this.sql = sql;
    this.byStatus = byStatus;
  }

  /**
   * Up to a page of events whose number is below {@code before}.
   *
   * @param notReplayed whether those that were replayed are left out
   */
  List<EventRecord> run(
      Connection connection, int shard, EventFilter filter, long before, boolean notReplayed)
      throws SQLException {
    Map<Long, EventRecord> found = new TreeMap<>(Comparator.reverseOrder());
    // the live ones first: one that ends in between is found twice, never missed
    List<EventStatus> live =
        filter.statuses().stream().filter(status -> !status.isEnded()).toList();
    if (!live.isEmpty() && filter.ended().isAll()) {
      for (EventRecord event :
          query(connection, shard, filter, before, live, " FROM {event}", "")) {
        found.put(event.id().id(), event);
      }
    }
    for (EventStatus status : filter.statuses()) {
      if (status.isEnded()) {
        // each by itself: of those that are few there is an index, which completed ones are not in
        String from = " FROM {event_history}" + (status == EventStatus.COMPLETED ? "" : byStatus);
        String and = notReplayed ? " AND replayed_as IS NULL" : "";
        query(connection, shard, filter, before, List.of(status), from, and)
            .forEach(event -> found.put(event.id().id(), event));
      }
    }
    return found.values().stream().limit(filter.pageSize()).toList();
  }

  /** Those of these numbers, in any order. */
  List<EventRecord> all(Connection connection, int shard, Collection<Long> ids)
      throws SQLException {
    Map<Long, EventRecord> found = new HashMap<>();
    for (List<Long> some : MultiStatementSql.lists(ids)) {
      // as above, the live ones first
      byIds(connection, shard, some, EventColumns.TOLD_LIVE, "{event}", found);
      List<Long> rest = some.stream().filter(id -> !found.containsKey(id)).toList();
      if (!rest.isEmpty()) {
        byIds(connection, shard, rest, EventColumns.TOLD_ENDED, "{event_history}", found);
      }
    }
    return List.copyOf(found.values());
  }

  private void byIds(
      Connection connection,
      int shard,
      List<Long> ids,
      String columns,
      String table,
      Map<Long, EventRecord> found)
      throws SQLException {
    List<@Nullable Object> values = new ArrayList<>(ids.size() + 1);
    values.add(shard);
    values.addAll(ids);
    String text =
        "SELECT %s FROM %s WHERE shard = ? AND id IN (%s)"
            .formatted(columns, table, String.join(", ", Collections.nCopies(ids.size(), "?")));
    sql.query(connection, sql.text(text), sql::event, values.toArray())
        .forEach(event -> found.put(event.id().id(), event));
  }

  private List<EventRecord> query(
      Connection connection,
      int shard,
      EventFilter filter,
      long before,
      List<EventStatus> statuses,
      String from,
      String and)
      throws SQLException {
    List<@Nullable Object> values = new ArrayList<>();
    StringBuilder query = new StringBuilder("SELECT ");
    query.append(statuses.get(0).isEnded() ? EventColumns.TOLD_ENDED : EventColumns.TOLD_LIVE);
    query.append(from);
    query.append(" WHERE shard = ? AND id < ? AND status IN (");
    values.add(shard);
    values.add(before);
    query.append(
        String.join(", ", statuses.stream().map(status -> "" + StatusCode.of(status)).toList()));
    query.append(')').append(and);
    and(query, values, " AND type = ?", filter.type());
    and(query, values, " AND queue = ?", filter.queue());
    and(query, values, " AND tags LIKE ? ESCAPE '!'", like(filter.tag(), " "));
    if (filter.key() != null) {
      query.append(" AND id = (SELECT id FROM {event_key} WHERE shard = ? AND event_key = ?)");
      values.add(shard);
      values.add(filter.key());
    }
    and(query, values, "created_at", filter.created());
    and(query, values, "due_at", filter.due());
    and(query, values, "ended_at", filter.ended());
    String error = filter.errorContains();
    and(
        query,
        values,
        " AND LOWER(error) LIKE ? ESCAPE '!'",
        like(error == null ? null : error.toLowerCase(Locale.ROOT), ""));
    query.append(" ORDER BY id DESC LIMIT ").append(filter.pageSize());
    return sql.query(connection, sql.text(query.toString()), sql::event, values.toArray());
  }

  private static void and(
      StringBuilder query,
      List<@Nullable Object> values,
      String condition,
      @Nullable Object value) {
    if (value != null) {
      query.append(condition);
      values.add(value);
    }
  }

  private static void and(
      StringBuilder query, List<@Nullable Object> values, String column, EventFilter.Range range) {
    and(query, values, " AND " + column + " >= ?", range.from());
    and(query, values, " AND " + column + " < ?", range.to());
  }

  /** A text anywhere between others, with what it must have on both sides. */
  private static @Nullable String like(@Nullable String text, String around) {
    return text == null
        ? null
        : "%"
            + around
            + text.replace("!", "!!").replace("%", "!%").replace("_", "!_")
            + around
            + "%";
  }
}
