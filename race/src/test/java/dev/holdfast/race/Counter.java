package dev.holdfast.race;

import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestSchema;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;

/** A schema with one counter in it, which stands at 0, and code that counts on it. */
final class Counter implements AutoCloseable {
  static final String UP = "update counter set n = n + 1 where id = 1";
  static final String LOOK = "select n from counter where id = 1";

  private final TestSchema schema;
  private final DataSource dataSource;

  private Counter(TestDatabase database) {
    schema = database.newSchema();
    schema.execute(
        "create table counter(id int primary key, n int)", "insert into counter values (1, 0)");
    dataSource = schema.dataSource(8);
  }

  static Counter onPostgreSql() {
    return on(TestDatabase.postgreSql());
  }

  static Counter on(TestDatabase database) {
    return new Counter(database);
  }

  TestSchema schema() {
    return schema;
  }

  DataSource dataSource() {
    return dataSource;
  }

  Race race() {
    return Race.create(dataSource);
  }

  /** A race with two who count rightly. */
  Race fair() {
    return race().actor("Ana", Counter::up).actor("Ben", Counter::up);
  }

  /** What the counter stands at. */
  long value() {
    return schema.count(LOOK);
  }

  /** Rightly: in one statement. */
  static void up(DataSource ds) throws SQLException {
    run(ds, UP);
  }

  /** Wrongly: what was read may be old when it is written. */
  static void upByReading(DataSource ds) throws SQLException {
    try (Connection connection = ds.getConnection()) {
      connection.setAutoCommit(false);
      long n = number(connection, LOOK);
      run(connection, "update counter set n = " + (n + 1) + " where id = 1");
      connection.commit();
    }
  }

  static void run(DataSource ds, String... sql) throws SQLException {
    try (Connection connection = ds.getConnection()) {
      for (String each : sql) {
        run(connection, each);
      }
    }
  }

  static void run(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  static long number(DataSource ds, String sql) throws SQLException {
    try (Connection connection = ds.getConnection()) {
      return number(connection, sql);
    }
  }

  static long number(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      rows.next();
      return rows.getLong(1);
    }
  }

  @Override
  public void close() {
    schema.close();
  }
}
