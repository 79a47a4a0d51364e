package dev.holdfast.torture.cluster;

import dev.holdfast.Holdfast;
import dev.holdfast.event.QueueLimit;
import dev.holdfast.schedule.MisfirePolicy;
import dev.holdfast.schedule.Recurrence;
import dev.holdfast.schedule.Schedule;
import dev.holdfast.torture.history.History;
import dev.holdfast.torture.history.Kind;
import dev.holdfast.torture.work.Types;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import javax.sql.DataSource;

/** The tables of a run, before it and after it. The only place that names tables of Holdfast. */
final class Tables {
  static final int LIMIT = 3;
  private static final int MAX_MISSED = 1000;
  private static final String[] STATUS = {
    "PENDING", "PROCESSING", "COMPLETED", "FAILED", "CANCELLED"
  };

  private static final String[] CREATE = {
    "CREATE TABLE torture_effect (id bigserial PRIMARY KEY, event_key text, ordering_key text)",
    "CREATE TABLE torture_business (event_key text)",
    "CREATE TABLE torture_write (id bigserial PRIMARY KEY, name text, token bigint)",
    "CREATE TABLE torture_once (id bigserial PRIMARY KEY, request_key text, reply text)"
  };

  private static final String SAMPLE =
      """
      SELECT queue, count(*) FILTER (WHERE due_at <= statement_timestamp()),
        count(*) FILTER (WHERE status = 1)
      FROM holdfast_event GROUP BY queue\
      """;

  private static final String EVENTS =
      """
      SELECT id, payload, queue, status, event_key, error, created_at, attempts, crashes
        FROM holdfast_event
      UNION ALL
      SELECT id, payload, queue, status, event_key, error, created_at, attempts, crashes
        FROM holdfast_event_history\
      """;

  private Tables() {}

  static void create(DataSource dataSource) throws SQLException {
    Holdfast.create(dataSource).migrations().migrate();
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement()) {
      for (String sql : CREATE) {
        statement.execute(sql);
      }
    }
    Holdfast holdfast = Holdfast.create(dataSource);
    holdfast.queues().setLimit(QueueLimit.queue(Types.LIMITED).maxConcurrency(LIMIT));
  }

  static void startSchedule(DataSource dataSource) {
    Instant first = Instant.ofEpochSecond(Instant.now().getEpochSecond() + 1);
    Holdfast.create(dataSource)
        .schedules()
        .put(
            Schedule.of(
                    Types.TICKS,
                    Recurrence.every(Duration.ofSeconds(1), first),
                    Types.TICK.event("tick").queue(Types.TICKS))
                .misfire(MisfirePolicy.catchUp(MAX_MISSED))
                .misfireThreshold(Duration.ofHours(1)));
  }

  static void endSchedule(DataSource dataSource) {
    Holdfast.create(dataSource).schedules().delete(Types.TICKS);
  }

  static void sample(Connection connection, History history) throws SQLException {
    long[] due = new long[Types.QUEUES.size()];
    long[] processing = new long[Types.QUEUES.size()];
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(SAMPLE)) {
      while (rows.next()) {
        int queue = Types.QUEUES.indexOf(rows.getString(1));
        if (queue >= 0) {
          due[queue] = rows.getLong(2);
          processing[queue] = rows.getLong(3);
        }
      }
    }
    for (int queue = 0; queue < due.length; queue++) {
      history.add(Kind.SAMPLE, Types.QUEUES.get(queue), due[queue], processing[queue]);
    }
  }

  /** How many events have not ended. */
  static long live(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("SELECT count(*) FROM holdfast_event")) {
      rows.next();
      return rows.getLong(1);
    }
  }

  /**
   * Writes down what is there at the end.
   *
   * @param epoch what {@code nanoTime} was at the beginning of 1970, by the clock of this machine
   */
  static void dump(Connection connection, History history, long epoch) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      try (ResultSet rows = statement.executeQuery(EVENTS)) {
        while (rows.next()) {
          Instant created = rows.getTimestamp(7).toInstant();
          history.addAt(
              epoch + created.getEpochSecond() * 1_000_000_000L + created.getNano(),
              Kind.FINAL_EVENT,
              rows.getLong(1),
              Objects.toString(rows.getString(2), "-"),
              rows.getString(3),
              STATUS[rows.getInt(4)],
              Objects.toString(rows.getString(5), "-"),
              Objects.toString(rows.getString(6), "-")
                  + " (attempts "
                  + rows.getInt(8)
                  + ", crashes "
                  + rows.getInt(9)
                  + ")");
        }
      }
      copy(statement, history, Kind.FINAL_EFFECT, "id, event_key, ordering_key", "torture_effect");
      copy(statement, history, Kind.FINAL_BUSINESS, "event_key", "torture_business");
      copy(statement, history, Kind.FINAL_WRITE, "id, name, token", "torture_write");
      copy(statement, history, Kind.FINAL_ONCE, "request_key, reply", "torture_once");
    }
  }

  private static void copy(
      Statement statement, History history, Kind kind, String columns, String table)
      throws SQLException {
    int count = columns.split(",", -1).length;
    try (ResultSet rows = statement.executeQuery("SELECT " + columns + " FROM " + table)) {
      while (rows.next()) {
        Object[] values = new Object[count];
        for (int column = 0; column < count; column++) {
          values[column] = Objects.toString(rows.getString(column + 1), "-");
        }
        history.add(kind, values);
      }
    }
  }
}
