package dev.holdfast.internal.event.store;

import dev.holdfast.event.EventId;
import dev.holdfast.event.EventStats;
import dev.holdfast.internal.sql.Dialect;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Statements about what workers have done, minute by minute. Thread-safe. */
public final class StatsStatements {
  /** One value for now; the column is there so that the table can be distributed. */
  static final int SHARD = 0;

  private static final String COUNTS =
      "completed, failed, cancelled, retried, lag_count, lag_sum, lag_max";
  private static final int COLUMNS = 10;

  private static final String UPSERT_POSTGRESQL =
      """
       ON CONFLICT (shard, at_minute, queue, instance) DO UPDATE SET
      completed = s.completed + excluded.completed, failed = s.failed + excluded.failed,
      cancelled = s.cancelled + excluded.cancelled, retried = s.retried + excluded.retried,
      lag_count = s.lag_count + excluded.lag_count, lag_sum = s.lag_sum + excluded.lag_sum,
      lag_max = GREATEST(s.lag_max, excluded.lag_max)\
      """;

  private static final String UPSERT_MYSQL =
      """
       ON DUPLICATE KEY UPDATE
      completed = completed + VALUES(completed), failed = failed + VALUES(failed),
      cancelled = cancelled + VALUES(cancelled), retried = retried + VALUES(retried),
      lag_count = lag_count + VALUES(lag_count), lag_sum = lag_sum + VALUES(lag_sum),
      lag_max = GREATEST(lag_max, VALUES(lag_max))\
      """;

  /** H2 has no such word; only this instance writes its rows, so nobody comes in between. */
  private static final String UPDATE =
      "UPDATE {stat} SET completed = completed + ?, failed = failed + ?, cancelled = cancelled + ?,"
          + " retried = retried + ?, lag_count = lag_count + ?, lag_sum = lag_sum + ?, lag_max ="
          + " GREATEST(lag_max, ?) WHERE shard = ? AND at_minute = %s AND queue = ? AND instance ="
          + " ?";

  private final Dialect dialect;
  private final EventStatements sql;
  private final String minute;
  private final String newest;
  private final String alias;
  private final @Nullable String upsert;

  private StatsStatements(
      Dialect dialect, EventStatements sql, String minute, String alias, @Nullable String upsert) {
    this.dialect = dialect;
    // the order of the index by status
    this.newest = dialect.family().equals("postgresql") ? "id DESC" : "ended_at DESC";
    this.sql = sql;
    this.minute = minute;
    this.alias = alias;
    this.upsert = upsert;
  }

  static StatsStatements of(Dialect dialect, EventStatements sql) {
    return switch (dialect.family()) {
      case "postgresql" ->
          new StatsStatements(
              dialect, sql, "date_trunc('minute', {now})", " AS s", UPSERT_POSTGRESQL);
      case "mysql" ->
          new StatsStatements(
              dialect,
              sql,
              "CAST(DATE_FORMAT({now}, '%Y-%m-%d %H:%i:00') AS DATETIME(6))",
              "",
              UPSERT_MYSQL);
      default -> new StatsStatements(dialect, sql, "DATE_TRUNC(MINUTE, {now})", "", null);
    };
  }

  /** The clock of the database. */
  public Instant now(Connection connection) throws SQLException {
    return sql.query(connection, sql.text("SELECT {now}"), row -> sql.time(row, 1)).get(0);
  }

  /** Adds what an instance has counted to its minute. */
  public void add(Connection connection, long instance, Collection<QueueCounters> tallies)
      throws SQLException {
    if (upsert == null) {
      for (QueueCounters tally : tallies) {
        addOne(connection, instance, tally);
      }
    } else {
      List<@Nullable Object> values = new ArrayList<>();
      tallies.forEach(tally -> values.addAll(row(instance, tally)));
      String insert = insert(tallies.size()) + upsert;
      sql.update(connection, sql.text(insert), values.toArray());
    }
  }

  private void addOne(Connection connection, long instance, QueueCounters tally)
      throws SQLException {
    List<@Nullable Object> change = new ArrayList<>(counts(tally));
    change.addAll(List.of(SHARD, tally.queue, instance));
    if (sql.update(connection, sql.text(UPDATE.formatted(minute)), change.toArray()) == 0) {
      sql.update(connection, sql.text(insert(1)), row(instance, tally).toArray());
    }
  }

  private String insert(int rows) {
    String row = "(?, " + minute + ", ?" + ", ?".repeat(COLUMNS - 2) + ")";
    return "INSERT INTO {stat}"
        + alias
        + " (shard, at_minute, queue, instance, "
        + COUNTS
        + ") VALUES "
        + String.join(", ", Collections.nCopies(rows, row));
  }

  private static List<Object> row(long instance, QueueCounters tally) {
    List<Object> values = new ArrayList<>(List.of(SHARD, tally.queue, instance));
    values.addAll(counts(tally));
    return values;
  }

  private static List<Object> counts(QueueCounters tally) {
    return Arrays.asList(
        tally.completed,
        tally.failed,
        tally.cancelled,
        tally.retried,
        tally.lagCount,
        tally.lagTotal,
        tally.lagMax);
  }

  /** All minutes in which anything was done, from this time on, in order. */
  public List<EventStats.Point> since(Connection connection, Instant from) throws SQLException {
    return sql.query(
        connection,
        sql.text(
            "SELECT at_minute, SUM(completed), SUM(failed), SUM(cancelled), SUM(retried),"
                + " SUM(lag_count), SUM(lag_sum), MAX(lag_max) FROM {stat} WHERE shard = ? AND"
                + " at_minute >= ? GROUP BY at_minute ORDER BY at_minute"),
        row ->
            new EventStats.Point(
                sql.time(row, 1),
                row.getLong(2),
                row.getLong(3),
                row.getLong(4),
                row.getLong(5),
                row.getLong(6),
                Duration.of(row.getLong(7), ChronoUnit.MICROS),
                Duration.of(row.getLong(8), ChronoUnit.MICROS)),
        SHARD,
        from);
  }

  /** The events of a shard that failed last, from this time on, the newest first. */
  public List<EventStats.Failure> failed(Connection connection, int shard, Instant from, int most)
      throws SQLException {
    return sql.query(
        connection,
        sql.text(
            "SELECT id, ended_at, queue, type, error FROM {event_history} WHERE shard = ? AND"
                + " status = 3 AND ended_at >= ? ORDER BY "
                + newest
                + dialect.limit(most)),
        row -> {
          String error = row.getString(5);
          return new EventStats.Failure(
              new EventId(shard, row.getLong(1)),
              sql.time(row, 2),
              row.getString(3),
              row.getString(4),
              error == null ? "" : error);
        },
        shard,
        from);
  }

  /** How many events of a shard were cancelled from this time on, at most so many. */
  public long cancelled(Connection connection, int shard, Instant from, int most)
      throws SQLException {
    return sql.query(
            connection,
            sql.text(
                "SELECT COUNT(*) FROM (SELECT id FROM {event_history} WHERE shard = ? AND status ="
                    + " 4 AND ended_at >= ?"
                    + dialect.limit(most)
                    + ") c"),
            row -> row.getLong(1),
            shard,
            from)
        .get(0);
  }

  /** Writes of which queues an instance handles which types. */
  public void announce(
      Connection connection, long instance, Collection<String> queues, Collection<String> types)
      throws SQLException {
    // it may have been written already, by an attempt whose response was lost
    sql.update(
        connection,
        sql.text("DELETE FROM {handled} WHERE shard = ? AND instance = ?"),
        SHARD,
        instance);
    String insert =
        sql.text("INSERT INTO {handled} (shard, instance, queue, type) VALUES (?, ?, ?, ?)");
    for (String queue : queues) {
      for (String type : types) {
        sql.update(connection, insert, SHARD, instance, queue, type);
      }
    }
  }

  /** What live instances handle; without queue and type for those that have not announced it. */
  public List<Handled> handled(Connection connection) throws SQLException {
    return sql.query(
        connection,
        sql.text(
            "SELECT DISTINCT h.queue, h.type FROM {instance} i LEFT JOIN {handled} h ON h.shard = ?"
                + " AND h.instance = i.id WHERE NOT i.stopped AND i.expires_at > {now}"),
        row -> new Handled(row.getString(1), row.getString(2)),
        SHARD);
  }

  /** A type that is handled in a queue, or in every one. */
  public record Handled(@Nullable String queue, @Nullable String type) {
    static final String EVERY_QUEUE = "*";

    public boolean isUnknown() {
      return type == null;
    }

    public boolean fits(String inQueue, String ofType) {
      return ofType.equals(type) && (inQueue.equals(queue) || EVERY_QUEUE.equals(queue));
    }
  }

  /** Adds how many due events of a queue are of which type, of at most so many of a shard. */
  public void dueTypes(
      Connection connection, int shard, String queue, int most, Map<String, Long> counts)
      throws SQLException {
    sql.query(
        connection,
        sql.text(
            "SELECT type, COUNT(*) FROM (SELECT type FROM {event} WHERE shard = ? AND status = 0"
                + " AND queue = ? AND due_at <= {now}"
                + dialect.limit(most)
                + ") d GROUP BY type"),
        row -> counts.merge(row.getString(1), row.getLong(2), Long::sum),
        shard,
        queue);
  }

  /** Deletes the minutes that are over for longer than this, and what dead instances handled. */
  public int forget(Connection connection, Duration kept) throws SQLException {
    sql.update(
        connection,
        sql.text(
            "DELETE FROM {handled} WHERE shard = ? AND instance NOT IN (SELECT id FROM"
                + " {instance})"),
        SHARD);
    return sql.update(
        connection,
        sql.text("DELETE FROM {stat} WHERE shard = ? AND at_minute < {now+}"),
        SHARD,
        -TimeUnit.MICROSECONDS.convert(kept));
  }
}
