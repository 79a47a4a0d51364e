package dev.holdfast.testing.sql;

import dev.holdfast.sql.Isolation;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.contract.JoinedTransactionContract;
import dev.holdfast.testing.contract.NetworkLossContract;
import dev.holdfast.testing.contract.SqlConflictsContract;
import dev.holdfast.testing.contract.SqlErrorsContract;
import dev.holdfast.testing.contract.TransactionSettingsContract;
import dev.holdfast.testing.contract.TransactionsContract;
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

  @Nested
  class Own extends TransactionsContract {
    Own() {
      super(TestDatabase.mariaDb());
    }
  }

  @Nested
  class Settings extends TransactionSettingsContract {
    Settings() {
      super(TestDatabase.mariaDb());
    }
  }

  @Nested
  class Joined extends JoinedTransactionContract {
    Joined() {
      super(TestDatabase.mariaDb());
    }
  }
}
