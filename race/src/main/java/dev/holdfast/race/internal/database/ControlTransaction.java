package dev.holdfast.race.internal.database;

import java.sql.Connection;
import java.sql.SQLException;

/** Does something on the control connection, all or nothing. */
final class ControlTransaction {

  /** What is done. */
  interface Work {
    void run() throws SQLException;
  }

  private ControlTransaction() {}

  static void run(Connection control, Work work) throws SQLException {
    control.setAutoCommit(false);
    try {
      work.run();
      control.commit();
    } catch (SQLException e) {
      control.rollback();
      throw e;
    } finally {
      control.setAutoCommit(true);
    }
  }
}
