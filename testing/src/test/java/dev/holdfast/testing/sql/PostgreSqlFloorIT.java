package dev.holdfast.testing.sql;

import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.contract.JoinedTransactionContract;
import dev.holdfast.testing.contract.NetworkLossContract;
import dev.holdfast.testing.contract.SqlConflictsContract;
import dev.holdfast.testing.contract.SqlErrorsContract;
import dev.holdfast.testing.contract.TransactionSettingsContract;
import dev.holdfast.testing.contract.TransactionsContract;
import java.sql.Connection;
import java.sql.SQLException;
import org.junit.jupiter.api.Nested;

/** The JDBC floor keeps its contracts on PostgreSQL. */
class PostgreSqlFloorIT {
  @Nested
  class Errors extends SqlErrorsContract {
    Errors() {
      super(TestDatabase.postgreSql());
    }
  }

  @Nested
  class Conflicts extends SqlConflictsContract {
    Conflicts() {
      super(TestDatabase.postgreSql());
    }

    @Override
    protected void noticeDeadlocksFast(Connection connection) throws SQLException {
      execute(connection, "set local deadlock_timeout = '10ms'");
    }
  }

  @Nested
  class ConnectionLoss extends NetworkLossContract {
    ConnectionLoss() {
      super(TestDatabase.postgreSql());
    }

    @Override
    protected String urlOfNobody() {
      return "jdbc:postgresql://127.0.0.1:1/postgres";
    }
  }

  @Nested
  class Own extends TransactionsContract {
    Own() {
      super(TestDatabase.postgreSql());
    }
  }

  @Nested
  class Settings extends TransactionSettingsContract {
    Settings() {
      super(TestDatabase.postgreSql());
    }
  }

  @Nested
  class Joined extends JoinedTransactionContract {
    Joined() {
      super(TestDatabase.postgreSql());
    }
  }
}
