package dev.holdfast.bench;

import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

/** A transaction as it is written by hand on a pooled data source. */
record HandWritten(DataSource dataSource) {
  @FunctionalInterface
  interface Work {
    void in(Connection connection) throws SQLException;
  }

  void inTransaction(Work work) throws SQLException {
    try (Connection connection = dataSource.getConnection()) {
      connection.setAutoCommit(false);
      try {
        work.in(connection);
        connection.commit();
      } catch (SQLException | RuntimeException e) {
        connection.rollback();
        throw e;
      } finally {
        connection.setAutoCommit(true);
      }
    }
  }
}
