package dev.holdfast.testing.contract;

import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * A pool of one connection that puts nothing right, so that each transaction meets what the one
 * before has left. It only ends what is still open where autocommit is off, as every pool does.
 */
final class BarePool implements AutoCloseable {
  private final DataSource real;
  private final boolean autoCommit;
  private @Nullable Connection kept;

  BarePool(DataSource real, boolean autoCommit) {
    this.real = real;
    this.autoCommit = autoCommit;
  }

  DataSource dataSource() {
    return JdbcProxy.of(
        DataSource.class,
        (self, method, arguments) ->
            method.getName().equals("getConnection")
                ? borrowed(connection())
                : JdbcProxy.pass(method, real, arguments));
  }

  @Override
  public void close() throws SQLException {
    if (kept != null) {
      kept.close();
    }
  }

  private Connection connection() throws SQLException {
    Connection connection = kept;
    if (connection == null || connection.isClosed()) {
      connection = real.getConnection();
      connection.setAutoCommit(autoCommit);
      kept = connection;
    }
    return connection;
  }

  private static Connection borrowed(Connection connection) {
    return JdbcProxy.of(
        Connection.class,
        (self, method, arguments) -> {
          if (!method.getName().equals("close")) {
            return JdbcProxy.pass(method, connection, arguments);
          }
          if (!connection.isClosed() && !connection.getAutoCommit()) {
            connection.rollback();
          }
          return null;
        });
  }
}
