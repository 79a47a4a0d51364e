package dev.holdfast.testing.sql;

import static org.assertj.core.api.Assertions.catchThrowable;

import dev.holdfast.sql.Isolation;
import dev.holdfast.sql.SqlError;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.contract.JoinedTransactionContract;
import dev.holdfast.testing.contract.NetworkLossContract;
import dev.holdfast.testing.contract.RetryingContract;
import dev.holdfast.testing.contract.SqlConflictsContract;
import dev.holdfast.testing.contract.SqlErrorsContract;
import dev.holdfast.testing.contract.TransactionSettingsContract;
import dev.holdfast.testing.contract.TransactionsContract;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** The JDBC floor keeps its contracts on MariaDB. */
class MariaDbFloorIT {
  @Nested
  class Errors extends SqlErrorsContract {
    Errors() {
      super(TestDatabase.mariaDb());
    }

    @Test
    void anotherOptionOfTheServerThanReadOnlyIsNotReadOnly() throws SQLException {
      // 1290: the server of these tests runs with --skip-grant-tables
      assertError(SqlError.UNKNOWN, "create user nobody");
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

    @Test
    void aTransactionThatWasIdleForTooLongIsAConnectionLost() throws SQLException {
      schema.execute("create table orders (id bigint primary key)");
      try (Connection connection = connect()) {
        String session = ask(connection, "select connection_id()");
        execute(connection, "set session idle_transaction_timeout = 1");
        connection.setAutoCommit(false);
        execute(connection, "insert into orders values (1)");
        awaitEnd(session);
        assertError(
            SqlError.CONNECTION_LOST, catchThrowable(() -> execute(connection, "select 1")));
      }
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

  @Nested
  class Retries extends RetryingContract {
    Retries() {
      super(TestDatabase.mariaDb());
    }
  }
}
