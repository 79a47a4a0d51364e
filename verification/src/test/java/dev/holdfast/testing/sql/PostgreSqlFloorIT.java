package dev.holdfast.testing.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.contract.BindingContract;
import dev.holdfast.testing.contract.JoinedTransactionContract;
import dev.holdfast.testing.contract.NetworkLossContract;
import dev.holdfast.testing.contract.RetryingContract;
import dev.holdfast.testing.contract.SqlConflictsContract;
import dev.holdfast.testing.contract.SqlErrorContract;
import dev.holdfast.testing.contract.TransactionSettingsContract;
import dev.holdfast.testing.contract.TransactionsContract;
import dev.holdfast.transaction.DatabaseException;
import dev.holdfast.transaction.Isolation;
import dev.holdfast.transaction.SqlError;
import dev.holdfast.transaction.Transactions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The JDBC floor keeps its contracts on PostgreSQL. */
class PostgreSqlFloorIT {
  @Nested
  class Errors extends SqlErrorContract {
    Errors() {
      super(TestDatabase.postgreSql());
    }

    @Test
    void statementAfterFailureIsInAbortedTransaction() throws SQLException {
      try (Connection connection = connect()) {
        connection.setAutoCommit(false);
        assertError(
            SqlError.UNIQUE_VIOLATION,
            catchThrowable(() -> execute(connection, "insert into parents values (1, 'x', 1, 1)")));
        assertError(
            SqlError.TRANSACTION_ABORTED, catchThrowable(() -> execute(connection, "select 1")));
      }
    }

    @Test
    void aWriteOnAServerThatOnlyReadsIsReadOnly() throws SQLException {
      try (Connection connection = connect()) {
        execute(connection, "set default_transaction_read_only = on");
        assertError(
            SqlError.READ_ONLY,
            catchThrowable(() -> execute(connection, "update parents set quantity = 2")));
      }
    }

    @Test
    void freshTransactionCuresOutdatedPlan() throws SQLException {
      try (Connection connection = connect()) {
        connection.setAutoCommit(false);
        // from the fifth time on the driver keeps the plan on the server
        for (int i = 0; i < 10; i++) {
          readParents(connection);
        }
        connection.commit();
        schema.execute("alter table parents add column added integer");

        assertError(SqlError.STALE_STATEMENT, catchThrowable(() -> readParents(connection)));
        connection.rollback();
        readParents(connection);
        connection.commit();
        execute(connection, "deallocate all");
        assertError(
            SqlError.STALE_STATEMENT, catchThrowable(() -> execute(connection, "execute nothing")));
        connection.rollback();
      }
      assertError(SqlError.UNKNOWN, new SQLException("ERROR: cannot insert into view", "0A000"));
    }

    private void readParents(Connection connection) throws SQLException {
      try (PreparedStatement statement =
          connection.prepareStatement("select * from parents where id = ?")) {
        statement.setInt(1, 1);
        statement.executeQuery().close();
      }
    }

    @Test
    void aDatabaseThatDoesNotExistIsMissing() {
      String url = schema.url().replaceFirst("/postgres\\?", "/no_such_database?");
      assertThat(url).isNotEqualTo(schema.url());
      assertError(
          SqlError.OBJECT_NOT_FOUND,
          catchThrowable(() -> DriverManager.getConnection(url, schema.user(), "")));
    }

    @Test
    void exhaustedServerIsConnectionLost() {
      String role = "role_" + schema.name();
      schema.execute("create role " + role + " login connection limit 0");
      try {
        assertError(
            SqlError.CONNECTION_LOST,
            catchThrowable(() -> DriverManager.getConnection(schema.url(), role, "")));
      } finally {
        schema.execute("drop role " + role);
      }
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

    @Test
    void idleTransactionTimeoutIsConnectionLost() throws SQLException {
      assertEndedBy("set local idle_in_transaction_session_timeout = '1ms'");
    }

    @Test
    void transactionTimeoutIsConnectionLost() throws SQLException {
      try (Connection connection = connect()) {
        assumeThat(connection.getMetaData().getDatabaseMajorVersion())
            .as("the version of PostgreSQL, which has transaction_timeout from 17 on")
            .isGreaterThanOrEqualTo(17);
      }
      assertEndedBy("set local transaction_timeout = '1ms'");
    }

    private void assertEndedBy(String limit) throws SQLException {
      try (Connection connection = connect()) {
        String session = ask(connection, "select pg_backend_pid()");
        connection.setAutoCommit(false);
        execute(connection, limit);
        awaitEnd(session);
        assertError(
            SqlError.CONNECTION_LOST, catchThrowable(() -> execute(connection, "select 1")));
      }
    }
  }

  @Nested
  class Own extends TransactionsContract {
    Own() {
      super(TestDatabase.postgreSql());
    }

    @Test
    void deferredConstraintFailureIsRollback() {
      schema.execute("create table seats (n integer unique deferrable initially deferred)");

      assertThatThrownBy(
              () ->
                  transactions.run(
                      tx -> execute(tx.connection(), "insert into seats values (1), (1)")))
          .isInstanceOfSatisfying(
              DatabaseException.class,
              failure -> {
                assertThat(failure.error()).isEqualTo(SqlError.UNIQUE_VIOLATION);
                assertThat(failure).hasMessageStartingWith("committing failed");
              });
      assertThat(schema.count("select count(*) from seats")).isZero();
    }

    @Test
    void retriesSerializationFailureAtCommit() throws SQLException {
      schema.execute(
          "create table on_call (doctor integer primary key, on_duty boolean)",
          "insert into on_call values (1, true), (2, true)");
      Transactions serializable = transactions.isolation(Isolation.SERIALIZABLE);
      AtomicInteger attempts = new AtomicInteger();

      serializable
          .retrying(3)
          .run(
              tx -> {
                attempts.incrementAndGet();
                ask(tx.connection(), "select count(*) from on_call where on_duty");
                if (tx.attempt() == 1) {
                  // the write skew: each reads what the other writes, and only commits can tell
                  serializable
                      .requiresNew()
                      .run(
                          other -> {
                            ask(other.connection(), "select count(*) from on_call where on_duty");
                            execute(tx.connection(), leaves(1));
                            execute(other.connection(), leaves(2));
                          });
                } else {
                  execute(tx.connection(), leaves(1));
                }
              });

      assertThat(attempts).hasValue(2);
      assertThat(schema.count("select count(*) from on_call where on_duty")).isZero();
    }

    private static String leaves(int doctor) {
      return "update on_call set on_duty = false where doctor = " + doctor;
    }

    @Test
    void swallowedErrorPreventsCommit() {
      assertNotCommittedAroundAFailure(transactions);
      assertThat(schema.count("select count(*) from orders")).isZero();
    }

    private static void assertNotCommittedAroundAFailure(Transactions transactions) {
      assertThatThrownBy(
              () ->
                  transactions.run(
                      tx -> {
                        execute(tx.connection(), "insert into orders values (-1)");
                        assertThat(catchThrowable(() -> execute(tx.connection(), "selekt 1")))
                            .isNotNull();
                      }))
          .isInstanceOfSatisfying(
              DatabaseException.class,
              failure -> assertThat(failure.error()).isEqualTo(SqlError.TRANSACTION_ABORTED));
    }

    @ParameterizedTest
    @ValueSource(
        strings = {
          "prepareThreshold=0",
          "prepareThreshold=1",
          "preferQueryMode=simple",
          "preferQueryMode=extendedForPrepared",
          "preferQueryMode=extendedCacheEverything",
          "autosave=always",
          "autosave=always&cleanupSavepoints=true",
          "autosave=conservative"
        })
    void commitsHoweverTheDriverIsSet(String option) throws SQLException {
      try (HikariDataSource pool = new HikariDataSource()) {
        pool.setJdbcUrl(schema.url() + "&" + option);
        pool.setUsername(schema.user());
        pool.setMaximumPoolSize(1);
        Transactions tuned = Transactions.on(pool);

        // often enough for the driver to prepare what it has seen before
        for (int id = 1; id <= 7; id++) {
          String insert = "insert into orders values (" + id + ")";
          tuned.run(tx -> execute(tx.connection(), insert));
          if (!option.startsWith("autosave=always")) {
            assertNotCommittedAroundAFailure(tuned);
          }
        }
        assertThat(schema.count("select count(*) from orders")).isEqualTo(7);
      }
    }
  }

  @Nested
  class Settings extends TransactionSettingsContract {
    Settings() {
      super(TestDatabase.postgreSql());
    }

    @Test
    void setsNothingForSession() throws SQLException {
      String settings = "select string_agg(name || '=' || setting, ',') from pg_settings";
      try (Connection plain = connect()) {
        String before = ask(plain, settings);
        transactions
            .isolation(Isolation.SERIALIZABLE)
            .readOnly()
            .lockTimeout(Duration.ofSeconds(7))
            .statementTimeout(Duration.ofSeconds(8))
            .run(
                tx -> {
                  assertThat(ask(tx.connection(), settings)).isNotEqualTo(before);
                  // what no work should do: here it shows what outlives the transaction
                  tx.connection().commit();
                  assertThat(ask(tx.connection(), settings)).isEqualTo(before);
                });
      }
    }
  }

  @Nested
  class Joined extends JoinedTransactionContract {
    Joined() {
      super(TestDatabase.postgreSql());
    }
  }

  @Nested
  class Retries extends RetryingContract {
    Retries() {
      super(TestDatabase.postgreSql());
    }

    @Override
    protected void noticeDeadlocksFast(Connection connection) throws SQLException {
      execute(connection, "set local deadlock_timeout = '10ms'");
    }
  }

  @Nested
  class Bindings extends BindingContract {
    Bindings() {
      super(TestDatabase.postgreSql());
    }

    @Override
    protected String momentType() {
      return "timestamptz";
    }

    @Override
    protected String textType() {
      return "text";
    }

    @Override
    protected String bytesType() {
      return "bytea";
    }

    @Override
    protected String setTimeZone(String offset) {
      return "set time zone interval '" + offset + "' hour to minute";
    }

    @Test
    void textTakesTheTypeOfItsColumn() throws SQLException {
      schema.execute("create type size as enum ('SMALL', 'LARGE')");
      assertComesBack("size", "SMALL", row -> row.getString(1), "SMALL");
      assertComesBack("size", Size.LARGE, row -> row.getString(1), "LARGE");
      assertComesBack("jsonb", "{\"a\": 1}", row -> row.getString(1), "{\"a\": 1}");
      assertComesBack("inet", "10.0.0.1", row -> row.getString(1), "10.0.0.1");
      assertComesBack("date", "2026-11-15", row -> row.getString(1), "2026-11-15");
      assertComesBack("char(3)", "abc", row -> row.getString(1), "abc");
    }
  }
}
