package dev.holdfast.internal.job;

import dev.holdfast.internal.Excerpt;
import dev.holdfast.internal.lease.store.LeaseTables;
import dev.holdfast.internal.sql.Dialect;
import dev.holdfast.job.JobRecord;
import dev.holdfast.lease.LeaseKey;
import java.nio.charset.StandardCharsets;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * The table of the last runs of exclusive jobs. A run starts only with a greater token than the
 * last one, and not too early; only the run that started last can write its end. Thread-safe.
 */
final class JobStore {
  private static final int MAX_ERROR_LENGTH = 900;
  private static final int MAX_LISTED = 1000;
  private static final LeaseKey ANY = LeaseKey.exclusive("*");

  /** The same token is a repetition after a lost response. */
  private static final String START =
      """
      UPDATE {job} SET token = ?, holder = ?, started_at = {now}, ends_by = {now+}, \
      not_before = {now+}, ended_at = NULL, outcome = NULL, failure = NULL \
      WHERE shard = 0 AND name = ? \
      AND (token = ? OR (token < ? AND not_before <= {now} AND started_at <= {now+}))\
      """;

  private static final String FIRST =
      """
      INSERT INTO {job} (shard, name, token, holder, started_at, ends_by, not_before) \
      VALUES (0, ?, ?, ?, {now}, {now+}, {now+})\
      """;

  private static final String END =
      """
      UPDATE {job} SET ended_at = {now}, outcome = ?, failure = ? \
      WHERE shard = 0 AND name = ? AND token = ?\
      """;

  private static final String COLUMNS =
      """
      SELECT name, token, holder, STARTED, ENDED, outcome, failure, NOT_BEFORE, {micros}, \
      ends_by <= {now} FROM {job} WHERE shard = 0\
      """;

  private final LeaseTables tables;
  private final String start;
  private final String first;
  private final String end;
  private final String find;
  private final String list;
  private final String now;

  private JobStore(LeaseTables tables, Dialect dialect) {
    this.tables = tables;
    this.start = tables.text(START);
    this.first = tables.text(FIRST);
    this.end = tables.text(END);
    this.now = tables.text("SELECT {micros}");
    String columns =
        tables
            .text(COLUMNS)
            .replace("STARTED", tables.micros("started_at"))
            .replace("ENDED", tables.micros("ended_at"))
            .replace("NOT_BEFORE", tables.micros("not_before"));
    this.find = columns + " AND name = ?";
    this.list = columns + " ORDER BY name" + dialect.limit(MAX_LISTED);
  }

  /**
   * The table of jobs in a database.
   *
   * @param schema the schema of Holdfast's tables; null for the current one
   */
  static JobStore create(DataSource dataSource, Dialect dialect, @Nullable String schema) {
    return new JobStore(
        new LeaseTables(dataSource, dataSource, dialect, schema, 1, "the job"), dialect);
  }

  /**
   * A row.
   *
   * @param now the database's clock when it was read
   */
  public record Row(JobRecord record, Instant now) {
    /** The time until the next run may start, at least {@code interval} after the last one. */
    public Duration untilNextRun(Duration interval) {
      Instant next = record.startedAt().plus(interval);
      Instant due = next.isAfter(record.nextRunAfter()) ? next : record.nextRunAfter();
      return due.isAfter(now) ? Duration.between(now, due) : Duration.ZERO;
    }
  }

  /** Returns the row of a job; empty if it never ran. */
  public Optional<Row> find(LeaseKey key) {
    return tables.step(
        "reading",
        key,
        connection -> tables.first(connection, find, this::row, tables.name(key.name())));
  }

  /** The clock of the database. */
  public Instant now() {
    return tables.step(
        "reading the clock for",
        ANY,
        connection -> tables.first(connection, now, row -> instant(row.getLong(1))).orElseThrow());
  }

  /** Returns the rows of all jobs in the order of their names. */
  public List<JobRecord> list() {
    return tables.step(
        "listing", ANY, connection -> tables.query(connection, list, row -> row(row).record()));
  }

  /** Writes the start of the run with this token; false if it may not start. */
  public boolean start(
      LeaseKey key,
      long token,
      String instanceName,
      Duration maxDuration,
      Duration minInterval,
      Duration interval) {
    Object name = tables.name(key.name());
    return tables.step(
        "starting",
        key,
        connection -> {
          int rows =
              tables.update(
                  connection,
                  start,
                  token,
                  instanceName,
                  maxDuration,
                  minInterval,
                  name,
                  token,
                  token,
                  interval.negated());
          if (rows == 1) {
            return true;
          }
          if (tables.first(connection, find, this::row, name).isPresent()) {
            return false;
          }
          // if another run is faster, its key makes the insert fail, and the step is repeated
          return tables.update(
                  connection, first, name, token, instanceName, maxDuration, minInterval)
              == 1;
        });
  }

  /** Writes the end of the run with this token; false if a later run has started. */
  public boolean end(LeaseKey key, long token, JobRecord.Status status, @Nullable String error) {
    return tables.step(
        "ending",
        key,
        connection ->
            tables.update(
                    connection,
                    end,
                    code(status),
                    error == null ? null : storable(error),
                    tables.name(key.name()),
                    token)
                == 1);
  }

  private static int code(JobRecord.Status status) {
    return switch (status) {
      case RUNNING -> throw new IllegalArgumentException("the run has not ended");
      case SUCCEEDED -> 1;
      case FAILED -> 2;
      case LOST -> 3;
    };
  }

  private static JobRecord.Status status(int code) {
    return switch (code) {
      case 1 -> JobRecord.Status.SUCCEEDED;
      case 2 -> JobRecord.Status.FAILED;
      default -> JobRecord.Status.LOST;
    };
  }

  private static String storable(String text) {
    String whole = Excerpt.of(text, MAX_ERROR_LENGTH).replace('\0', '\uFFFD');
    // unpaired surrogates become question marks
    return new String(whole.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8);
  }

  private Row row(ResultSet row) throws SQLException {
    long ended = row.getLong(5);
    boolean running = row.wasNull();
    int code = row.getInt(6);
    boolean late = row.getBoolean(10);
    JobRecord.Status status =
        !running ? status(code) : late ? JobRecord.Status.LOST : JobRecord.Status.RUNNING;
    return new Row(
        new JobRecord(
            tables.name(row, 1),
            row.getLong(2),
            row.getString(3),
            instant(row.getLong(4)),
            running ? null : instant(ended),
            status,
            row.getString(7),
            instant(row.getLong(8))),
        instant(row.getLong(9)));
  }

  private static Instant instant(long micros) {
    return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
  }
}
