package dev.holdfast.lease.internal;

import dev.holdfast.internal.Excerpt;
import dev.holdfast.lease.JobOutcome;
import dev.holdfast.lease.JobRecord;
import dev.holdfast.lease.LeaseKey;
import dev.holdfast.sql.Dialect;
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
 * The last run of each exclusive job. A run begins only with a greater token than the last one, and
 * not before its time; only the run that began last can tell its end. Thread-safe.
 */
public final class JobTable {
  private static final int LONGEST_FAILURE = 900;
  private static final int MOST_LISTED = 1000;
  private static final LeaseKey ANY = LeaseKey.exclusive("*");

  /** With the same token it is the same beginning, whose answer was lost. */
  private static final String BEGIN =
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

  private final LeaseHome home;
  private final LeaseSql sql;
  private final String begin;
  private final String first;
  private final String end;
  private final String find;
  private final String list;
  private final String clock;

  private JobTable(LeaseHome home, Dialect dialect) {
    this.home = home;
    this.sql = home.sql();
    this.begin = sql.text(BEGIN);
    this.first = sql.text(FIRST);
    this.end = sql.text(END);
    this.clock = sql.text("SELECT {micros}");
    String columns =
        sql.text(COLUMNS)
            .replace("STARTED", sql.micros("started_at"))
            .replace("ENDED", sql.micros("ended_at"))
            .replace("NOT_BEFORE", sql.micros("not_before"));
    this.find = columns + " AND name = ?";
    this.list = columns + " ORDER BY name" + dialect.limit(MOST_LISTED);
  }

  /** The table in this schema, which is quoted and has a dot behind it, or is empty. */
  public static JobTable in(DataSource dataSource, Dialect dialect, String prefix) {
    return new JobTable(
        new LeaseHome(dataSource, dataSource, LeaseStores.sql(dialect, prefix, 1), "the job"),
        dialect);
  }

  /**
   * A row.
   *
   * @param now the database's clock when it was read
   */
  public record Row(JobRecord record, Instant now) {
    /** How long it is until the next run may begin, {@code pace} after the last at the earliest. */
    public Duration rest(Duration pace) {
      Instant paced = record.started().plus(pace);
      Instant due = paced.isAfter(record.notBefore()) ? paced : record.notBefore();
      return due.isAfter(now) ? Duration.between(now, due) : Duration.ZERO;
    }
  }

  public Optional<Row> find(LeaseKey key) {
    return home.step(
        "looking at",
        key,
        connection -> sql.first(connection, find, this::row, sql.name(key.name())));
  }

  /** What time it is in the database. */
  public Instant clock() {
    return home.step(
        "reading the clock for",
        ANY,
        connection -> sql.first(connection, clock, row -> instant(row.getLong(1))).orElseThrow());
  }

  public List<JobRecord> list() {
    return home.step(
        "listing", ANY, connection -> sql.query(connection, list, row -> row(row).record()));
  }

  /** Whether the run with this token may begin; then its beginning is written. */
  public boolean begin(
      LeaseKey key, long token, String who, Duration atMost, Duration atLeast, Duration pace) {
    Object name = sql.name(key.name());
    return home.step(
        "beginning",
        key,
        connection -> {
          int rows =
              sql.update(
                  connection,
                  begin,
                  token,
                  who,
                  atMost,
                  atLeast,
                  name,
                  token,
                  token,
                  pace.negated());
          if (rows == 1) {
            return true;
          }
          if (sql.first(connection, find, this::row, name).isPresent()) {
            return false;
          }
          // where another one is faster, the key is taken, and all of this is tried again
          return sql.update(connection, first, name, token, who, atMost, atLeast) == 1;
        });
  }

  /** Whether the run with this token is still the last one; then its end is written. */
  public boolean end(LeaseKey key, long token, JobOutcome outcome, @Nullable String failure) {
    return home.step(
        "ending",
        key,
        connection ->
            sql.update(
                    connection,
                    end,
                    code(outcome),
                    failure == null ? null : storable(failure),
                    sql.name(key.name()),
                    token)
                == 1);
  }

  private static int code(JobOutcome outcome) {
    return switch (outcome) {
      case RUNNING -> throw new IllegalArgumentException("it has not ended");
      case SUCCEEDED -> 1;
      case FAILED -> 2;
      case LOST -> 3;
    };
  }

  private static JobOutcome outcome(int code) {
    return switch (code) {
      case 1 -> JobOutcome.SUCCEEDED;
      case 2 -> JobOutcome.FAILED;
      default -> JobOutcome.LOST;
    };
  }

  private static String storable(String text) {
    String whole = Excerpt.of(text, LONGEST_FAILURE).replace('\0', '\uFFFD');
    // single surrogates become question marks
    return new String(whole.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8);
  }

  private Row row(ResultSet row) throws SQLException {
    long ended = row.getLong(5);
    boolean running = row.wasNull();
    int code = row.getInt(6);
    boolean late = row.getBoolean(10);
    JobOutcome outcome = !running ? outcome(code) : late ? JobOutcome.LOST : JobOutcome.RUNNING;
    return new Row(
        new JobRecord(
            sql.name(row, 1),
            row.getLong(2),
            row.getString(3),
            instant(row.getLong(4)),
            running ? null : instant(ended),
            outcome,
            row.getString(7),
            instant(row.getLong(8))),
        instant(row.getLong(9)));
  }

  private static Instant instant(long micros) {
    return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
  }
}
