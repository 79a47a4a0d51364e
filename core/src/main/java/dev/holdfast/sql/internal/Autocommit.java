package dev.holdfast.sql.internal;

import java.sql.Connection;
import java.sql.SQLException;

/** Runs statements outside of any transaction, also on a connection of a pool that opens one. */
public final class Autocommit {
  private Autocommit() {}

  /** Statements that answer something. */
  public interface Statements<T> {
    T run(Connection connection) throws SQLException;
  }

  /**
   * Each statement is committed by itself. Some pools hand out what they get back as it is: so the
   * connection is left as it was, also after a failure.
   */
  public static <T> T run(Connection connection, Statements<T> statements) throws SQLException {
    if (connection.getAutoCommit()) {
      return statements.run(connection);
    }
    connection.setAutoCommit(true);
    T answer;
    try {
      answer = statements.run(connection);
    } catch (SQLException | RuntimeException | Error e) {
      try {
        connection.setAutoCommit(false);
      } catch (SQLException lost) {
        e.addSuppressed(lost);
      }
      throw e;
    }
    connection.setAutoCommit(false);
    return answer;
  }
}
