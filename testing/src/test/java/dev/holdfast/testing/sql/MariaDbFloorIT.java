package dev.holdfast.testing.sql;

import dev.holdfast.sql.Isolation;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.contract.NetworkLossContract;
import dev.holdfast.testing.contract.SqlConflictsContract;
import dev.holdfast.testing.contract.SqlErrorsContract;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.Nested;

/** The JDBC floor keeps its contracts on MariaDB. */
class MariaDbFloorIT {
  @Nested
  class Errors extends SqlErrorsContract {
    Errors() {
      super(TestDatabase.mariaDb());
    }
  }

  @Nested
  class Conflicts extends SqlConflictsContract {
    Conflicts() {
      super(TestDatabase.mariaDb());
    }

    @Override
    protected void prepareSnapshots(Connection connection) throws SQLException {
      execute(connection, "set session innodb_snapshot_isolation = on");
    }

    @Override
    protected List<Isolation> snapshotIsolations() {
      // SERIALIZABLE locks what it reads instead
      return List.of(Isolation.REPEATABLE_READ);
    }
  }

  @Nested
  class ConnectionLoss extends NetworkLossContract {
    ConnectionLoss() {
      super(TestDatabase.mariaDb());
    }

    @Override
    protected String urlOfNobody() {
      return "jdbc:mariadb://127.0.0.1:1/none";
    }
  }
}
