package dev.holdfast.testing;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;

class H2DatabaseIT extends TestDatabaseContract {

  private static final int DATABASE_NOT_FOUND = 90146;
  private static final int SCHEMA_NOT_FOUND = 90079;

  @Override
  TestDatabase database() {
    return TestDatabase.h2();
  }

  @Override
  boolean exists(TestSchema dropped) throws SQLException {
    try (Connection connection = DriverManager.getConnection(dropped.url() + ";IFEXISTS=TRUE")) {
      return connection.isValid(1);
    } catch (SQLException e) {
      if (e.getErrorCode() == DATABASE_NOT_FOUND || e.getErrorCode() == SCHEMA_NOT_FOUND) {
        return false;
      }
      throw e;
    }
  }
}
