package dev.holdfast.race.internal.database;

import dev.holdfast.testing.TestSchema;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** An empty schema on one database, and sessions in it. */
abstract class DatabaseFixture {
  private final List<Connection> connections = new ArrayList<>();
  private final ExecutorService others = Executors.newCachedThreadPool();
  TestSchema schema;
  Database database;

  abstract Server server();

  @BeforeEach
  void openDatabase() throws SQLException {
    schema = server().database().newSchema();
    database = Databases.open(schema.unpooled());
  }

  @AfterEach
  void closeDatabase() throws SQLException {
    others.shutdownNow();
    for (Connection connection : connections) {
      connection.close();
    }
    database.close();
    schema.close();
  }

  /** Makes tables and rows, and has the database remember them. */
  void given(String... sql) throws SQLException {
    schema.execute(sql);
    database.remember();
  }

  /** A session that has entered, and begins transactions by itself. */
  Actor actor() throws SQLException {
    Connection raw = schema.unpooled().getConnection();
    connections.add(raw);
    raw.setAutoCommit(false);
    return new Actor(raw, database.enter(raw));
  }

  final class Actor {
    final Connection raw;
    final long session;

    Actor(Connection raw, long session) {
      this.raw = raw;
      this.session = session;
    }

    void run(String sql) throws SQLException {
      Query.run(raw, sql);
    }

    Future<Boolean> begin(String sql) {
      return others.submit(
          () -> {
            run(sql);
            return true;
          });
    }
  }

  static DataSource as(String url, String user, String password) {
    return (DataSource)
        Proxy.newProxyInstance(
            DatabaseFixture.class.getClassLoader(),
            new Class<?>[] {DataSource.class},
            (proxy, method, arguments) -> DriverManager.getConnection(url, user, password));
  }

  Set<String> written(String sql) {
    return database.touched(sql, true);
  }

  Set<String> named(String sql) {
    return database.touched(sql, false);
  }
}
