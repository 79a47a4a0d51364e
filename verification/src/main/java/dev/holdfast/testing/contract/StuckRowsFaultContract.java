package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.holdfast.guard.SweepException;
import dev.holdfast.guard.SweepResult;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.transaction.SqlError;
import dev.holdfast.transaction.Transactions;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the stuck-row monitor does about rows, connections and commits that fail. */
public abstract class StuckRowsFaultContract extends TasksContract {
  private static final Predicate<String> CHANGE =
      sql -> sql.contains("UPDATE ") && sql.contains(" SET ");

  private FaultyDataSource faulty;

  @SuppressWarnings("NullAway.Init")
  protected StuckRowsFaultContract(TestDatabase database) {
    super(database);
  }

  @BeforeEach
  void wrapDataSource() {
    faulty = new FaultyDataSource(schema.dataSource());
  }

  private Transactions faultyTransactions() {
    return Transactions.on(faulty.dataSource());
  }

  /** How somebody sweeps; answers how many rows were brought back. */
  @FunctionalInterface
  private interface Sweeper {
    int sweep() throws Exception;
  }

  @Test
  void recoversTheOthersAroundAPoisonousRow() throws Exception {
    assertThatOnePoisonousRowDoesNotStopTheOthers(
        () -> {
          SweepResult result = tasks().batch(4).sweep(transactions);

          assertThat(result.poisoned())
              .singleElement()
              .satisfies(
                  poisoned -> {
                    assertThat(poisoned.key()).isEqualTo(5L);
                    assertThat(poisoned.error()).isEqualTo(SqlError.CHECK_VIOLATION);
                    assertThat(poisoned.message()).containsIgnoringCase("no_poison");
                  });
          assertThat(result.complete()).isTrue();
          return result.recovered();
        });
  }

  @Test
  void controlWithOneStatementFails() {
    assertThatThrownBy(
            () ->
                assertThatOnePoisonousRowDoesNotStopTheOthers(
                    () -> {
                      try {
                        schema.execute(
                            "update tasks set status = 'READY', version = version + 1"
                                + " where status = 'EXECUTING'");
                        return 9;
                      } catch (IllegalStateException refused) {
                        return 0;
                      }
                    }))
        .isInstanceOf(AssertionError.class)
        .hasMessageContainingAll("expected: 9", "but was: 0");
  }

  private void assertThatOnePoisonousRowDoesNotStopTheOthers(Sweeper sweeper) throws Exception {
    insertStuck(1, 4);
    insertStuck(5, 5, "poison");
    insertStuck(6, 10);

    assertThat(sweeper.sweep()).isEqualTo(9);
    assertThat(countTasks("status = 'READY' and version = 6")).isEqualTo(9);
    assertThat(task(5)).containsEntry("status", "EXECUTING").containsEntry("version", 5L);
  }

  @Test
  void skipsMorePoisonousRowsThanBatch() {
    for (long id = 1; id <= 10; id++) {
      // older than the others, so they are met first
      insertTask(id, Duration.ofHours(2), "poison");
    }
    insertStuck(11, 15);

    SweepResult result = tasks().batch(3).sweep(transactions);

    assertThat(result.recovered()).isEqualTo(5);
    assertThat(result.complete()).isTrue();
    assertThat(result.poisoned())
        .extracting(SweepResult.Poisoned::key)
        .containsExactly(1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L, 9L, 10L);
    assertThat(countTasks("status = 'EXECUTING' and version = 5")).isEqualTo(10);
  }

  @Test
  void failsAPoisonousRowThatMayFail() {
    insertStuck(1, 1, "poison");

    SweepResult result = tasks().attempts("attempts", 1, "FAILED").sweep(transactions);

    assertThat(result).isEqualTo(new SweepResult(0, 1, 0, 0, List.of(), true));
  }

  @Test
  void retriesBatchAfterConnectionLoss() {
    assertCured(FaultyDataSource.connectionLost());
  }

  @Test
  void retriesBatchAfterDeadlock() {
    assertCured(new SQLException("deadlock detected", "40P01"));
  }

  private void assertCured(SQLException fault) {
    insertStuck(1, 6);
    AtomicInteger statements = new AtomicInteger();
    faulty.onPrepare(
        connection -> {
          int statement = statements.incrementAndGet();
          if (statement == 1 || statement == 3) {
            throw fault;
          }
        });

    SweepResult result = tasks().batch(2).sweep(faultyTransactions());

    assertThat(result).isEqualTo(new SweepResult(6, 0, 0, 0, List.of(), true));
    assertThat(statements.get()).isGreaterThan(4);
    assertThat(countTasks("status = 'READY' and version = 6")).isEqualTo(6);
  }

  @Test
  void stopsAndReportsProgressOnOutage() {
    insertStuck(1, 6);
    AtomicInteger commits = new AtomicInteger();
    faulty.afterCommit(
        connection -> {
          // after the first batch
          if (commits.incrementAndGet() == 1) {
            faulty.onPrepare(
                ignored -> {
                  throw FaultyDataSource.connectionLost();
                });
          }
        });

    SweepException stopped =
        catchThrowableOfType(
            SweepException.class, () -> tasks().batch(2).sweep(faultyTransactions()));

    assertThat(stopped.result()).isEqualTo(new SweepResult(2, 0, 0, 0, List.of(), false));
    assertThat(SqlError.of(stopped)).isEqualTo(SqlError.CONNECTION_LOST);
    assertThat(countTasks("status = 'READY' and version = 6")).isEqualTo(2);
  }

  @Test
  void stopsWhereItCannotCountWhatHasNoTime() {
    insertStuck(1, 4);
    faulty.onPrepare(
        sql -> sql.contains("COUNT(*) AS holdfast_undated"),
        connection -> {
          throw new SQLTimeoutException("canceling statement due to statement timeout", "57014");
        });

    assertStoppedBeforeAnything(SqlError.STATEMENT_TIMEOUT);
  }

  @Test
  void stopsWhereNoRowCanBeChanged() {
    insertStuck(1, 4);
    faulty.onPrepare(
        CHANGE,
        connection -> {
          throw new SQLException("permission denied for table tasks", "42501");
        });

    assertStoppedBeforeAnything(SqlError.UNKNOWN);
  }

  private void assertStoppedBeforeAnything(SqlError error) {
    SweepException stopped =
        catchThrowableOfType(
            SweepException.class, () -> tasks().batch(2).sweep(faultyTransactions()));

    assertThat(stopped.result()).isEqualTo(new SweepResult(0, 0, 0, 0, List.of(), false));
    assertThat(SqlError.of(stopped)).isEqualTo(error);
    assertThat(countTasks("status = 'EXECUTING' and version = 5")).isEqualTo(4);
  }

  @Test
  void stopsOnReplicaWhileRecoveringRows() {
    insertStuck(1, 1, "poison");
    insertStuck(2, 4);
    AtomicInteger changes = new AtomicInteger();
    faulty.onPrepare(
        CHANGE.and(sql -> !sql.contains("1 = 0")),
        connection -> {
          // the first fails because of the poison, and so does the second, of that row alone
          if (changes.incrementAndGet() > 2) {
            throw new SQLException("cannot execute UPDATE in a read-only transaction", "25006");
          }
        });

    SweepException stopped =
        catchThrowableOfType(SweepException.class, () -> tasks().sweep(faultyTransactions()));

    assertThat(SqlError.of(stopped)).isEqualTo(SqlError.READ_ONLY);
    assertThat(stopped.result().recovered()).isZero();
    assertThat(stopped.result().poisoned())
        .extracting(SweepResult.Poisoned::key)
        .containsExactly(1L);
    assertThat(countTasks("status = 'EXECUTING' and version = 5")).isEqualTo(4);
  }

  @Test
  void unknownCommitIsNoSuccess() {
    insertStuck(1, 4);
    AtomicInteger commits = new AtomicInteger();
    faulty.afterCommit(
        connection -> {
          if (commits.incrementAndGet() == 1) {
            throw FaultyDataSource.connectionLost();
          }
        });

    SweepResult result = tasks().batch(3).sweep(faultyTransactions());

    assertThat(result).isEqualTo(new SweepResult(1, 0, 3, 0, List.of(), true));
    assertThat(countTasks("status = 'READY' and version = 6")).isEqualTo(4);
  }

  @Test
  void detectsMissingCommit() {
    insertStuck(1, 4);
    AtomicInteger commits = new AtomicInteger();
    faulty.beforeCommit(
        connection -> {
          if (commits.incrementAndGet() == 1) {
            throw FaultyDataSource.connectionLost();
          }
        });

    SweepResult result = tasks().batch(3).sweep(faultyTransactions());

    assertThat(result).isEqualTo(new SweepResult(4, 0, 0, 0, List.of(), true));
    assertThat(countTasks("status = 'READY' and version = 6")).isEqualTo(4);
  }

  @Test
  void reportsRowWithUnknownCommit() {
    assertThatOnlyRowTwoIsReported(FaultyDataSource.connectionLost(), SqlError.CONNECTION_LOST);
  }

  @Test
  void reportsARowThatIsInADeadlockEachTime() {
    assertThatOnlyRowTwoIsReported(new SQLException("deadlock", "40P01"), SqlError.DEADLOCK);
  }

  private void assertThatOnlyRowTwoIsReported(SQLException fault, SqlError error) {
    insertStuck(1, 3);
    faulty.beforeCommit(
        connection -> {
          if (sees(connection, "select count(*) from tasks where id = 2 and version = 6")) {
            throw fault;
          }
        });

    SweepResult result = tasks().sweep(faultyTransactions());

    assertThat(result.recovered()).isEqualTo(2);
    assertThat(result.unconfirmed()).isZero();
    assertThat(result.poisoned())
        .singleElement()
        .satisfies(
            poisoned -> {
              assertThat(poisoned.key()).isEqualTo(2L);
              assertThat(poisoned.error()).isEqualTo(error);
            });
    assertThat(task(2)).containsEntry("status", "EXECUTING").containsEntry("version", 5L);
  }

  private static boolean sees(Connection connection, String count) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(count)) {
      return row.next() && row.getLong(1) > 0;
    }
  }
}
