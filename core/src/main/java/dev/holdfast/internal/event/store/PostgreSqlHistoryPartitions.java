package dev.holdfast.internal.event.store;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The partitions {@code holdfast_event_history_YYYYMMDD}. Partitions of other names are left alone.
 *
 * <p>A day is attached, not made as a partition at once: that would lock the history against
 * everything, while attaching lets events end. It locks and reads {@code
 * holdfast_event_history_rest}, which has nothing in it as long as days are made ahead. Dropping
 * one locks the history against everything for a moment; {@code DETACH CONCURRENTLY} is refused
 * where there is a default partition.
 */
final class PostgreSqlHistoryPartitions implements HistoryPartitions {
  private static final String NAME = "holdfast_event_history_";
  private static final DateTimeFormatter LABEL = DateTimeFormatter.BASIC_ISO_DATE;
  private static final int DAYS_AHEAD = 2;

  /** Beside it stands the number of the history's table, so it is another one in each schema. */
  private static final String LOCK_OF_HISTORY =
      "(1212370502, '{event_history}'::regclass::oid::int)";

  private final EventStatements sql;
  private final String placeOfDays;
  private final String days;
  private final String restHas;
  private final String waitForLock;
  private final String tryLock;

  PostgreSqlHistoryPartitions(EventStatements sql) {
    this.sql = sql;
    this.placeOfDays =
        sql.text(
            "SELECT quote_ident(n.nspname), {now} FROM pg_class h JOIN pg_namespace n ON n.oid ="
                + " h.relnamespace WHERE h.oid = '{event_history}'::regclass");
    this.days =
        sql.text(
            "SELECT quote_ident(n.nspname), c.relname, {now+} FROM pg_inherits i JOIN pg_class c ON"
                + " c.oid = i.inhrelid JOIN pg_namespace n ON n.oid = c.relnamespace WHERE"
                + " i.inhparent = '{event_history}'::regclass");
    this.restHas =
        sql.text(
            "SELECT EXISTS (SELECT 1 FROM {event_history_rest} WHERE ended_at >= ? AND ended_at <"
                + " ?)");
    this.waitForLock = sql.text("SELECT pg_advisory_xact_lock" + LOCK_OF_HISTORY);
    this.tryLock = sql.text("SELECT pg_try_advisory_xact_lock" + LOCK_OF_HISTORY);
  }

  /** Where partitions belong, and the time of the database. */
  private record Place(String schema, Instant now) {}

  /** A partition, and the time that was asked for. */
  private record Found(HistoryPartition day, Instant time) {}

  @Override
  public List<HistoryPartition> missing(Connection connection) throws SQLException {
    Place place =
        sql.query(connection, placeOfDays, row -> new Place(row.getString(1), sql.time(row, 2)))
            .get(0);
    LocalDate today = LocalDate.ofInstant(place.now, ZoneOffset.UTC);
    List<LocalDate> made =
        made(connection, Duration.ZERO).stream().map(found -> found.day.day()).toList();
    return Stream.iterate(today, day -> day.plusDays(1))
        .limit(1 + DAYS_AHEAD)
        .filter(day -> !made.contains(day))
        .map(day -> day(place.schema, day))
        .toList();
  }

  private static HistoryPartition day(String schema, LocalDate day) {
    return new HistoryPartition(schema + "." + NAME + LABEL.format(day), day);
  }

  private List<Found> made(Connection connection, Duration ago) throws SQLException {
    return sql
        .query(
            connection,
            days,
            row -> found(row.getString(1), row.getString(2), sql.time(row, 3)),
            AbstractEventStore.micros(ago.negated()))
        .stream()
        .flatMap(Optional::stream)
        .toList();
  }

  private static Optional<Found> found(String schema, String table, Instant time) {
    if (!table.startsWith(NAME)) {
      return Optional.empty();
    }
    try {
      LocalDate day = LocalDate.parse(table.substring(NAME.length()), LABEL);
      return Optional.of(new Found(day(schema, day), time));
    } catch (DateTimeParseException notADay) {
      return Optional.empty();
    }
  }

  @Override
  public boolean make(Connection connection, HistoryPartition day) throws SQLException {
    // who comes second waits: if it went on, its events would end before there is a place for them
    sql.query(connection, waitForLock, row -> true);
    Instant from = start(day.day());
    Instant to = start(day.day().plusDays(1));
    boolean elsewhere =
        sql.first(connection, restHas, row -> row.getBoolean(1), from, to).orElse(false);
    if (elsewhere || !missing(connection).contains(day)) {
      return false;
    }
    try (Statement statement = connection.createStatement()) {
      statement.execute(
          "CREATE TABLE " + day.table() + sql.text(" (LIKE {event_history} INCLUDING ALL)"));
      statement.execute(
          sql.text("ALTER TABLE {event_history} ATTACH PARTITION ")
              + day.table()
              + " FOR VALUES FROM ('"
              + from
              + "') TO ('"
              + to
              + "')");
    }
    return true;
  }

  private static Instant start(LocalDate day) {
    return day.atStartOfDay(ZoneOffset.UTC).toInstant();
  }

  @Override
  public List<HistoryPartition> endedBefore(Connection connection, Duration ago)
      throws SQLException {
    return made(connection, ago).stream()
        .filter(found -> !start(found.day.day().plusDays(1)).isAfter(found.time))
        .map(found -> found.day)
        .sorted(Comparator.comparing(HistoryPartition::day))
        .toList();
  }

  @Override
  public boolean drop(Connection connection, HistoryPartition day) throws SQLException {
    if (!sql.first(connection, tryLock, row -> row.getBoolean(1)).orElse(false)) {
      return false;
    }
    try (Statement statement = connection.createStatement()) {
      statement.execute("DROP TABLE IF EXISTS " + day.table());
    }
    return true;
  }

  @Override
  public int empty(Connection connection, int shard, HistoryPartition day, int most)
      throws SQLException {
    String table = day.table();
    return sql.update(
        connection,
        "WITH old AS MATERIALIZED (SELECT id FROM "
            + table
            + " WHERE shard = ? ORDER BY id LIMIT ? FOR UPDATE SKIP LOCKED) DELETE FROM "
            + table
            + " WHERE shard = ? AND id = ANY(ARRAY(SELECT id FROM old))",
        shard,
        most,
        shard);
  }
}
