package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.holdfast.testing.ActorResults;
import dev.holdfast.testing.ConcurrentActors;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.transaction.Isolation;
import dev.holdfast.transaction.SqlError;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the classifier makes of transactions that are in each other's way, or too slow. */
public abstract class SqlConflictsContract extends FloorContract {
  private static final Duration SHORT = Duration.ofMillis(50);

  protected SqlConflictsContract(TestDatabase database) {
    super(database);
  }

  @BeforeEach
  void createAccounts() {
    schema.execute(
        "create table accounts (id bigint primary key, cents bigint not null)",
        "insert into accounts values (1, 0), (2, 0)");
  }

  @Test
  void aDeadlockIsRecognised() {
    CyclicBarrier bothHaveLocked = new CyclicBarrier(2);

    ActorResults<String> outcomes =
        ConcurrentActors.run(
            2,
            index -> {
              try (Connection connection = connect()) {
                connection.setAutoCommit(false);
                noticeDeadlocksFast(connection);
                execute(connection, add(1 + index));
                bothHaveLocked.await(30, TimeUnit.SECONDS);
                execute(connection, add(2 - index));
                connection.commit();
                return "committed";
              }
            });

    assertThat(outcomes.results()).containsExactly("committed");
    assertThat(outcomes.failures()).hasSize(1);
    assertError(SqlError.DEADLOCK, "deadlock", outcomes.failures().get(0));
    assertThat(schema.count("select sum(cents) from accounts")).isEqualTo(2);
  }

  /** Databases that wait before they look for deadlocks may be told to wait less. */
  protected void noticeDeadlocksFast(Connection connection) throws SQLException {}

  @Test
  void overwrittenSnapshotIsSerializationFailure() throws SQLException {
    for (Isolation isolation : snapshotIsolations()) {
      try (Connection connection = connect();
          Connection other = connect()) {
        prepareSnapshots(connection);
        connection.setTransactionIsolation(jdbcLevel(isolation));
        connection.setAutoCommit(false);
        ask(connection, "select cents from accounts where id = 1");
        execute(other, add(1));
        try (Statement statement = connection.createStatement()) {
          assertError(serializationFailure(), isolation.name(), refused(statement, add(1)));
        }
        connection.rollback();
      }
    }
  }

  /** The levels under which an update of a row that has changed since it was read is refused. */
  protected List<Isolation> snapshotIsolations() {
    return List.of(Isolation.REPEATABLE_READ, Isolation.SERIALIZABLE);
  }

  /** Turns on what makes the database refuse an outdated snapshot. */
  protected void prepareSnapshots(Connection connection) throws SQLException {}

  /** How the database calls it. */
  protected SqlError serializationFailure() {
    return SqlError.SERIALIZATION_FAILURE;
  }

  @Test
  void aLockThatIsNotFreeInTimeIsALockTimeout() throws SQLException {
    try (Connection holder = holdingLock()) {
      Throwable failure =
          catchThrowable(
              () -> transactions.lockTimeout(SHORT).run(tx -> execute(tx.connection(), add(1))));
      assertError(SqlError.LOCK_TIMEOUT, "lock timeout", failure);
      holder.rollback();
    }
  }

  @Test
  void aLockThatIsNotFreeAtOnceIsALockTimeout() throws SQLException {
    try (Connection holder = holdingLock();
        Connection connection = connect();
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      assertError(
          SqlError.LOCK_TIMEOUT,
          "NOWAIT",
          refused(statement, "select * from accounts where id = 1 for update nowait"));
      holder.rollback();
    }
  }

  @Test
  void aLockTimeoutUndoesTheWholeTransaction() throws SQLException {
    try (Connection holder = holdingLock()) {
      Throwable failure =
          catchThrowable(
              () ->
                  transactions
                      .lockTimeout(SHORT)
                      .run(
                          tx -> {
                            // InnoDB undoes only the statement that waited, not this one
                            execute(tx.connection(), add(2));
                            execute(tx.connection(), add(1));
                          }));
      assertError(SqlError.LOCK_TIMEOUT, "lock timeout", failure);
      holder.rollback();
    }
    assertThat(schema.count("select sum(cents) from accounts")).isZero();
  }

  @Test
  void aLimitOfTheServerIsAStatementTimeout() {
    Throwable failure =
        catchThrowable(
            () ->
                transactions
                    .statementTimeout(SHORT)
                    .run(tx -> execute(tx.connection(), server.endless)));
    assertError(SqlError.STATEMENT_TIMEOUT, "statementTimeout", failure);
  }

  @Test
  void aLimitOfTheDriverIsAStatementTimeout() throws SQLException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      statement.setQueryTimeout(1);
      assertError(
          SqlError.STATEMENT_TIMEOUT,
          "setQueryTimeout",
          endOfEndless(connection, statement, /* cancel= */ false));
    }
  }

  @Test
  void aCancelledStatementIsAStatementTimeout() throws SQLException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      assertError(
          SqlError.STATEMENT_TIMEOUT,
          "cancel",
          endOfEndless(connection, statement, /* cancel= */ true));
    }
  }

  /**
   * The error with which the endless query ends. A driver may cancel a statement only once, and
   * what it cancels before the server runs it is lost: so it is cancelled when the server shows it
   * running, and where nothing ends it, its session is.
   */
  private Throwable endOfEndless(Connection connection, Statement statement, boolean cancel)
      throws SQLException {
    String session = ask(connection, server.session);
    CountDownLatch ended = new CountDownLatch(1);
    Callable<Throwable> runs =
        () -> {
          try {
            return refused(statement, server.endless);
          } finally {
            ended.countDown();
          }
        };
    Callable<Throwable> watches =
        () -> {
          try (Connection beside = connect()) {
            while (cancel && !server.runs(beside, session)) {
              TimeUnit.MILLISECONDS.sleep(1);
            }
            if (cancel) {
              statement.cancel();
            }
            if (!ended.await(30, TimeUnit.SECONDS)) {
              server.kill(beside, session);
            }
            return new AssertionError("the one who watches does not fail");
          }
        };
    return ConcurrentActors.run(List.of(runs, watches)).resultsOrThrow().get(0);
  }

  private Connection holdingLock() throws SQLException {
    Connection holder = connect();
    holder.setAutoCommit(false);
    execute(holder, add(1));
    return holder;
  }

  private static String add(int account) {
    return "update accounts set cents = cents + 1 where id = " + account;
  }

  static int jdbcLevel(Isolation isolation) {
    return switch (isolation) {
      case READ_UNCOMMITTED -> Connection.TRANSACTION_READ_UNCOMMITTED;
      case READ_COMMITTED -> Connection.TRANSACTION_READ_COMMITTED;
      case REPEATABLE_READ -> Connection.TRANSACTION_REPEATABLE_READ;
      case SERIALIZABLE -> Connection.TRANSACTION_SERIALIZABLE;
    };
  }
}
