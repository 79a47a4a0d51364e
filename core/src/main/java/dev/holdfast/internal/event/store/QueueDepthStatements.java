package dev.holdfast.internal.event.store;

import dev.holdfast.internal.sql.Dialect;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Statements about how much there is to do, and about whose turn it is to count. Thread-safe. */
public final class QueueDepthStatements {
  private static final String COUNT =
      "SELECT queue, status, COUNT(*), COUNT(CASE WHEN due_at <= {now} THEN 1 END), MIN(due_at)"
          + " FROM {event} WHERE shard = ?";

  /** Each half has an index of its own, which holds all that it asks for. */
  private static final String BY_STATUS =
      COUNT
          + " AND status = 0 GROUP BY queue, status UNION ALL SELECT queue, status, COUNT(*), 0,"
          + " NULL FROM {event} WHERE shard = ? AND status = 1 GROUP BY queue, status";

  /** From one queue to the next in the index, however many events each has. */
  private static final String WAITING_STEPWISE =
      """
      WITH RECURSIVE found (queue) AS (
        SELECT MIN(queue) FROM {event} WHERE shard = ? AND status = 0
        UNION ALL
        SELECT (SELECT MIN(queue) FROM {event} WHERE shard = ? AND status = 0 AND queue > found.queue)
        FROM found WHERE found.queue IS NOT NULL)
      SELECT queue FROM found WHERE queue IS NOT NULL AND EXISTS (
        SELECT 1 FROM generate_series(0, 9) AS p WHERE EXISTS (
          SELECT 1 FROM {event} WHERE shard = ? AND status = 0 AND queue = found.queue AND priority = p
          AND due_at <= {now+})) LIMIT ?""";

  /** Others do the same by themselves, or are small. */
  private static final String WAITING =
      "SELECT DISTINCT queue FROM {event} WHERE shard = ? AND status = 0 AND due_at <= {now+} LIMIT ?";

  private final EventStatements sql;
  private final boolean byStatus;

  private QueueDepthStatements(EventStatements sql, boolean byStatus) {
    this.sql = sql;
    this.byStatus = byStatus;
  }

  static QueueDepthStatements of(Dialect dialect, EventStatements sql) {
    return new QueueDepthStatements(sql, dialect.family().equals("postgresql"));
  }

  /** What was counted last; {@code depths} is what {@link QueueDepthFormat#text} wrote. */
  public record Counted(Instant at, String depths) {}

  /**
   * Takes the turn to count, for so long; answers the version by which it is known, or nothing
   * where it is not time or another has it.
   */
  public OptionalLong take(Connection connection, Duration atMost) throws SQLException {
    Optional<Long> due =
        sql.first(
            connection,
            sql.text("SELECT version FROM {depth} WHERE shard = ? AND next_at <= {now}"),
            row -> row.getLong(1),
            StatsStatements.SHARD);
    if (due.isEmpty()) {
      return OptionalLong.empty();
    }
    boolean mine =
        sql.update(
                connection,
                sql.text(
                    "UPDATE {depth} SET version = version + 1, next_at = {now+} WHERE shard = ? AND"
                        + " version = ?"),
                micros(atMost),
                StatsStatements.SHARD,
                due.get())
            == 1;
    return mine ? OptionalLong.of(due.get() + 1) : OptionalLong.empty();
  }

  /** Whether somebody has ever had the turn. */
  public boolean exists(Connection connection) throws SQLException {
    return sql.first(
            connection,
            sql.text("SELECT 1 FROM {depth} WHERE shard = ?"),
            row -> true,
            StatsStatements.SHARD)
        .isPresent();
  }

  /** The first turn is anybody's; of two who make it at once one fails. */
  public void create(Connection connection) throws SQLException {
    sql.update(
        connection,
        sql.text("INSERT INTO {depth} (shard, version, next_at) VALUES (?, 0, {now})"),
        StatsStatements.SHARD);
  }

  /** In which queues of a shard events are pending that are due within this time. */
  public List<String> waiting(Connection connection, int shard, Duration within, int most)
      throws SQLException {
    Object[] values =
        byStatus
            ? new Object[] {shard, shard, shard, micros(within), most}
            : new Object[] {shard, micros(within), most};
    return sql.query(
        connection,
        sql.text(byStatus ? WAITING_STEPWISE : WAITING),
        row -> row.getString(1),
        values);
  }

  /** Adds what one shard holds. */
  public void count(Connection connection, int shard, QueueDepthFormat depths) throws SQLException {
    String count = byStatus ? BY_STATUS : COUNT + " GROUP BY queue, status";
    Object[] values = byStatus ? new Object[] {shard, shard} : new Object[] {shard};
    sql.query(
        connection,
        sql.text(count),
        row -> {
          Instant oldest = sql.times().get(row, 5);
          boolean pending = row.getInt(2) == 0;
          depths.add(
              row.getString(1),
              pending ? row.getLong(3) : 0,
              pending ? row.getLong(4) : 0,
              pending ? 0 : row.getLong(3),
              pending && row.getLong(4) > 0 ? oldest : null);
          return true;
        },
        values);
  }

  /** Ends the turn; the next is after this time. Answers whether it still was ours. */
  public boolean save(
      Connection connection, long version, @Nullable String depths, Duration untilNext)
      throws SQLException {
    String counted = depths == null ? "" : ", counted_at = {now}, depths = ?";
    String update =
        "UPDATE {depth} SET version = version + 1, next_at = {now+}"
            + counted
            + " WHERE shard = ? AND version = ?";
    Object[] values =
        depths == null
            ? new Object[] {micros(untilNext), StatsStatements.SHARD, version}
            : new Object[] {micros(untilNext), depths, StatsStatements.SHARD, version};
    return sql.update(connection, sql.text(update), values) == 1;
  }

  public Optional<Counted> last(Connection connection) throws SQLException {
    return sql.first(
        connection,
        sql.text(
            "SELECT counted_at, depths FROM {depth} WHERE shard = ? AND counted_at IS NOT NULL"),
        row -> new Counted(sql.time(row, 1), row.getString(2)),
        StatsStatements.SHARD);
  }

  private static long micros(Duration time) {
    return TimeUnit.MICROSECONDS.convert(time);
  }
}
