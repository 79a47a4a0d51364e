package dev.holdfast.internal.event.store;

import dev.holdfast.event.QueueLimit;
import dev.holdfast.transaction.SqlError;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Statements about limits.
 *
 * @param insertIfNew the end of an insert that does nothing and returns no row where the row is
 *     there; may be empty
 * @param byQueue what follows the table of events where the claimed ones of a queue are searched
 * @param byOwner what follows it where all claimed ones are
 */
public record LimitStatements(
    EventStatements sql, String insertIfNew, String byQueue, String byOwner) {
  /**
   * How long a claim waits for the row of a limit, or a result for that of its event, before it
   * gives its connection back and is tried again; workers hold them for milliseconds. MariaDB and
   * MySQL count whole seconds.
   */
  public static final Duration MAX_WAIT = Duration.ofSeconds(1);

  /** A condition that is always true, and bounds the waits of its own statement (PostgreSQL). */
  static final String BOUNDED =
      "(SELECT set_config('lock_timeout', '" + MAX_WAIT.toMillis() + "', TRUE)) IS NOT NULL";

  static final String COLUMNS = "kind, name, most_running, rate, period_micros";

  /** All limits, in the order in which they are locked. */
  public List<QueueLimit> all(Connection connection) throws SQLException {
    return sql.query(
        connection,
        sql.text("SELECT " + COLUMNS + " FROM {limit} ORDER BY kind, name"),
        LimitStatements::limit);
  }

  static QueueLimit limit(ResultSet row) throws SQLException {
    int max = row.getInt(3);
    OptionalInt maxConcurrency = row.wasNull() ? OptionalInt.empty() : OptionalInt.of(max);
    int count = row.getInt(4);
    Optional<QueueLimit.Rate> rate =
        row.wasNull()
            ? Optional.empty()
            : Optional.of(
                new QueueLimit.Rate(count, Duration.of(row.getLong(5), ChronoUnit.MICROS)));
    QueueLimit.Kind kind = QueueLimit.Kind.valueOf(row.getString(1).toUpperCase(Locale.ROOT));
    return new QueueLimit(new QueueLimit.Target(kind, row.getString(2)), maxConcurrency, rate);
  }

  static String kind(QueueLimit.Target target) {
    return target.kind().name().toLowerCase(Locale.ROOT);
  }

  private static @Nullable Integer most(QueueLimit limit) {
    return limit.maxConcurrency().isPresent() ? limit.maxConcurrency().getAsInt() : null;
  }

  /** What is used up of a rate stays so, but for a rate that is another. */
  public void set(Connection connection, QueueLimit limit) throws SQLException {
    QueueLimit.Rate rate = limit.rate().orElse(null);
    Integer amount = rate == null ? null : rate.count();
    Long period = rate == null ? null : TimeUnit.MICROSECONDS.convert(rate.period());
    // first of all, because MariaDB reads what was set before it
    String update =
        sql.text(
            "UPDATE {limit} SET next_at = CASE WHEN rate = ? AND period_micros = ? THEN next_at"
                + " END, most_running = ?, rate = ?, period_micros = ? WHERE kind = ? AND name ="
                + " ?");
    @Nullable Object[] row = {
      most(limit), amount, period, kind(limit.target()), limit.target().name()
    };
    @Nullable Object[] change = {
      amount, period, most(limit), amount, period, kind(limit.target()), limit.target().name()
    };
    if (sql.update(connection, update, change) == 0 && !insert(connection, row)) {
      sql.update(connection, update, change);
    }
  }

  private boolean insert(Connection connection, @Nullable Object[] values) throws SQLException {
    try {
      String insert =
          "INSERT INTO {limit} (most_running, rate, period_micros, kind, name) VALUES (?, ?, ?, ?,"
              + " ?)";
      return insertIfNew.isEmpty()
          ? sql.update(connection, sql.text(insert), values) == 1
          : sql.returnsRow(connection, sql.text(insert) + insertIfNew, values);
    } catch (SQLException e) {
      // the transaction goes on: only the statement is undone
      if (SqlError.of(e) == SqlError.UNIQUE_VIOLATION) {
        return false;
      }
      throw e;
    }
  }

  /** Whether this limit is as it was seen, null for not there; it stays so. */
  public boolean isStill(Connection connection, QueueLimit.Target of, @Nullable QueueLimit seen)
      throws SQLException {
    String lock = "SELECT " + COLUMNS + " FROM {limit} WHERE kind = ? AND name = ? FOR UPDATE";
    QueueLimit now =
        sql.first(connection, sql.text(lock), LimitStatements::limit, kind(of), of.name())
            .orElse(null);
    return Objects.equals(now, seen);
  }

  /** Sets a limit that was not there; answers whether it still was not. */
  public boolean create(Connection connection, QueueLimit limit) throws SQLException {
    QueueLimit.Rate rate = limit.rate().orElse(null);
    return insert(
        connection,
        new @Nullable Object[] {
          most(limit),
          rate == null ? null : rate.count(),
          rate == null ? null : TimeUnit.MICROSECONDS.convert(rate.period()),
          kind(limit.target()),
          limit.target().name()
        });
  }

  /** Answers whether it was there. */
  public boolean remove(Connection connection, QueueLimit.Target target) throws SQLException {
    return sql.update(
            connection,
            sql.text("DELETE FROM {limit} WHERE kind = ? AND name = ?"),
            kind(target),
            target.name())
        == 1;
  }

  Optional<LockedLimit> lock(Connection connection, QueueLimit limit) throws SQLException {
    String lock =
        "SELECT " + LockedLimit.COLUMNS + " FROM {limit} WHERE kind = ? AND name = ? FOR UPDATE";
    try {
      return sql.first(
          connection,
          sql.text(lock),
          row -> LockedLimit.read(row, sql),
          kind(limit.target()),
          limit.target().name());
    } catch (SQLException e) {
      throw lockedOr(limit, e);
    }
  }

  /** Says that the row of a limit is locked, where that is why a statement failed. */
  static SQLException lockedOr(QueueLimit limit, SQLException failure) {
    if (SqlError.of(failure) == SqlError.LOCK_TIMEOUT) {
      throw new LimitLockedException(limit, MAX_WAIT, failure);
    }
    return failure;
  }

  int claimedOf(Connection connection, int shard, String queue) throws SQLException {
    String count =
        "SELECT COUNT(*) FROM {event}" + byQueue + " WHERE shard = ? AND queue = ? AND status = 1";
    return sql.query(connection, sql.text(count), row -> row.getInt(1), shard, queue).get(0);
  }

  void claimedByKey(Connection connection, int shard, String queue, Map<String, Integer> counts)
      throws SQLException {
    String count =
        "SELECT limit_key, COUNT(*) FROM {event}"
            + byQueue
            + " WHERE shard = ? AND queue = ? AND status = 1 AND limit_key IS NOT NULL GROUP BY"
            + " limit_key";
    add(connection, sql.text(count), counts, shard, queue);
  }

  int claimedOfType(Connection connection, int shard, String type) throws SQLException {
    // an owner has what is claimed only
    String count =
        "SELECT COUNT(*) FROM {event}"
            + byOwner
            + " WHERE shard = ? AND owner > 0 AND status = 1 AND type = ?";
    return sql.query(connection, sql.text(count), row -> row.getInt(1), shard, type).get(0);
  }

  private void add(
      Connection connection, String count, Map<String, Integer> counts, @Nullable Object... values)
      throws SQLException {
    Map<String, Integer> found = new HashMap<>();
    sql.query(connection, count, row -> found.put(row.getString(1), row.getInt(2)) == null, values);
    found.forEach((name, number) -> counts.merge(name, number, Integer::sum));
  }

  /** Says what is known to be claimed at most. */
  void save(
      Connection connection,
      QueueLimit limit,
      @Nullable Integer atMost,
      @Nullable Instant countedAt)
      throws SQLException {
    change(connection, limit, "at_most = ?, counted_at = ?", atMost, countedAt);
  }

  /** As {@link #save}, and uses the rate, from now on where what was used of it is past. */
  void save(
      Connection connection,
      QueueLimit limit,
      @Nullable Integer atMost,
      @Nullable Instant countedAt,
      Instant nextAt,
      long micros)
      throws SQLException {
    change(
        connection,
        limit,
        "at_most = ?, counted_at = ?, next_at = CASE WHEN next_at > {now} THEN ? ELSE {now+} END",
        atMost,
        countedAt,
        nextAt,
        micros);
  }

  /** Gives back so many of a rate that were taken and not used. */
  public void giveBack(Connection connection, QueueLimit limit, int unused) throws SQLException {
    try {
      sql.update(
          connection,
          sql.text(
              "UPDATE {limit} SET next_at = next_at - ?::double precision * period_micros / rate *"
                  + " interval '1 microsecond' WHERE kind = ? AND name = ? AND rate IS NOT NULL AND"
                  + " "
                  + BOUNDED),
          unused,
          kind(limit.target()),
          limit.target().name());
    } catch (SQLException e) {
      throw lockedOr(limit, e);
    }
  }

  private void change(
      Connection connection, QueueLimit limit, String what, @Nullable Object... values)
      throws SQLException {
    List<@Nullable Object> all = new ArrayList<>(Arrays.asList(values));
    all.add(kind(limit.target()));
    all.add(limit.target().name());
    int changed =
        sql.update(
            connection,
            sql.text("UPDATE {limit} SET " + what + " WHERE kind = ? AND name = ?"),
            all.toArray());
    if (changed != 1) {
      throw new SQLException("one locked limit must be changed, were " + changed);
    }
  }
}
