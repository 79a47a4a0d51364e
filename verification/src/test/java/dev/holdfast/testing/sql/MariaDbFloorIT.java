package dev.holdfast.testing.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.holdfast.internal.sql.Dialect;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.contract.BindingContract;
import dev.holdfast.testing.contract.JoinedTransactionContract;
import dev.holdfast.testing.contract.NetworkLossContract;
import dev.holdfast.testing.contract.RetryingContract;
import dev.holdfast.testing.contract.SqlConflictsContract;
import dev.holdfast.testing.contract.SqlErrorContract;
import dev.holdfast.testing.contract.TransactionSettingsContract;
import dev.holdfast.testing.contract.TransactionsContract;
import dev.holdfast.transaction.Isolation;
import dev.holdfast.transaction.SqlError;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** The JDBC floor keeps its contracts on MariaDB. */
class MariaDbFloorIT {
  @Nested
  class Errors extends SqlErrorContract {
    Errors() {
      super(TestDatabase.mariaDb());
    }

    @Test
    void otherServerOptionIsNotReadOnly() throws SQLException {
      try (Connection connection = connect()) {
        // 1290, as the embedded server runs with --skip-grant-tables; on others it does nothing
        Throwable failure =
            catchThrowable(() -> execute(connection, "drop user if exists " + schema.name()));
        assumeThat(failure).as("a server with --skip-grant-tables").isNotNull();
        assertThat(failure).hasMessageContaining("--skip-grant-tables");
        assertError(SqlError.UNKNOWN, failure);
      }
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
    void idleTransactionTimeoutIsConnectionLost() throws SQLException {
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

  @Nested
  class Bindings extends BindingContract {
    Bindings() {
      super(TestDatabase.mariaDb());
    }

    @Override
    protected String momentType() {
      return "timestamp(6)";
    }

    @Override
    protected String textType() {
      return "longtext";
    }

    @Override
    protected String bytesType() {
      return "varbinary(100)";
    }

    @Override
    protected String setTimeZone(String offset) {
      return "set time_zone = '" + offset + "'";
    }

    @Override
    protected Instant moment(ResultSet row) throws SQLException {
      return row.getTimestamp(1).toInstant();
    }

    @Test
    void textTakesTheTypeOfItsColumn() throws SQLException {
      assertComesBack("enum ('SMALL', 'LARGE')", Size.LARGE, row -> row.getString(1), "LARGE");
      assertComesBack("date", "2026-11-15", row -> row.getString(1), "2026-11-15");
      assertComesBack("json", "{\"a\": 1}", row -> row.getString(1), "{\"a\": 1}");
    }

    @Override
    protected List<String> moments() {
      // the driver writes and reads the clock of the JVM, on which these two are the same
      List<String> moments = new ArrayList<>(ALL_MOMENTS);
      moments.removeAll(List.of("2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z"));
      return moments;
    }

    @Test
    void readsAllInstantsIfDriverPreservesThem() throws SQLException {
      String url =
          schema.url()
              + "?connectionTimeZone=UTC&forceConnectionTimeZoneToSession=true"
              + "&preserveInstants=true";
      inTimeZones(
          () -> {
            try (Connection connection =
                DriverManager.getConnection(url, schema.user(), schema.password())) {
              assertMomentsComeBack(connection, ALL_MOMENTS);
            }
          });
    }

    @Test
    void mariaDbIsNotMySqlUnderWhateverUrl() throws SQLException {
      String url = schema.url().replace("jdbc:mariadb:", "jdbc:mysql:") + "?permitMysqlScheme";
      try (Connection connection =
          DriverManager.getConnection(url, schema.user(), schema.password())) {
        assertThat(Dialect.of(connection).product()).startsWith("MariaDB ");
      }
    }
  }
}
