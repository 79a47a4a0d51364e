package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.holdfast.InvalidArgumentException;
import dev.holdfast.guard.ConflictRates;
import dev.holdfast.guard.GuardException;
import dev.holdfast.guard.StuckRows;
import dev.holdfast.guard.SweepException;
import dev.holdfast.guard.SweepResult;
import dev.holdfast.guard.Update;
import dev.holdfast.guard.UpdateResult;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.transaction.DatabaseException;
import dev.holdfast.transaction.SqlError;
import dev.holdfast.transaction.TransactionStateException;
import dev.holdfast.transaction.Transactions;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** What a sweep of the stuck-row monitor does. */
public abstract class StuckRowsContract extends TasksContract {
  protected StuckRowsContract(TestDatabase database) {
    super(database);
  }

  private static SweepResult swept(int recovered, int failed) {
    return new SweepResult(recovered, failed, 0, 0, List.of(), true);
  }

  @Test
  void bringsBackWhatIsStuckAndNothingElse() {
    insertTask(1, AGE.plusSeconds(10));
    insertTask(2, AGE.minusSeconds(60));
    insertTask(3, AGE.plusDays(300));
    schema.execute(
        "insert into tasks (id, status, started_at, kind, version)"
            + " values (4, 'DONE', timestamp '2020-01-01 00:00:00', 'plain', 5)");

    SweepResult result =
        tasks()
            .attempts("attempts", 5, "FAILED")
            .error("last_error", "its worker vanished")
            .clear("owner")
            .clear("started_at")
            .sweep(transactions);

    assertThat(result).isEqualTo(swept(2, 0));
    assertThat(task(1))
        .containsEntry("status", "READY")
        .containsEntry("version", 6L)
        .containsEntry("attempts", 1)
        .containsEntry("last_error", "its worker vanished")
        .containsEntry("owner", null)
        .containsEntry("started_at", null);
    assertThat(task(2))
        .containsEntry("status", "EXECUTING")
        .containsEntry("version", 5L)
        .containsEntry("attempts", 0)
        .containsEntry("last_error", null)
        .containsEntry("owner", "worker");
    assertThat(task(3)).containsEntry("status", "READY").containsEntry("version", 6L);
    assertThat(task(4)).containsEntry("status", "DONE").containsEntry("version", 5L);
  }

  @Test
  void goesOnThroughAsManyBatchesAsItTakes() {
    insertStuck(1, 25);

    assertThat(tasks().batch(10).sweep(transactions)).isEqualTo(swept(25, 0));
    assertThat(countTasks("status = 'READY' and version = 6")).isEqualTo(25);
    assertThat(tasks().sweep(transactions)).isEqualTo(swept(0, 0));
  }

  @Test
  void failsARowThatHasNoAttemptLeft() {
    insertStuck(1, 4);
    schema.execute(
        "update tasks set attempts = 3 where id = 1",
        "update tasks set attempts = 4 where id = 2",
        "update tasks set attempts = 9 where id = 3",
        "update tasks set attempts = null where id = 4");
    StuckRows capped =
        tasks().attempts("attempts", 5, "FAILED").error("last_error", "given up by the monitor");

    assertThat(capped.sweep(transactions)).isEqualTo(swept(2, 2));

    assertThat(task(1)).containsEntry("status", "READY").containsEntry("attempts", 4);
    assertThat(task(2))
        .containsEntry("status", "FAILED")
        .containsEntry("attempts", 5)
        .containsEntry("last_error", "given up by the monitor")
        .containsEntry("version", 6L);
    assertThat(task(3)).containsEntry("status", "FAILED").containsEntry("attempts", 10);
    assertThat(task(4)).containsEntry("status", "READY").containsEntry("attempts", 1);
  }

  @Test
  void judgesByALeaseWhereThereIsOne() {
    insertTask(1, Duration.ofSeconds(1));
    insertTask(2, Duration.ofHours(-1));

    StuckRows leased = untimed().leaseExpired("lease_until").clear("lease_until");

    assertThat(leased.sweep(transactions)).isEqualTo(swept(1, 0));
    assertThat(task(1)).containsEntry("status", "READY").containsEntry("lease_until", null);
    assertThat(task(2)).containsEntry("status", "EXECUTING").containsEntry("version", 5L);
  }

  @Test
  void reportsUndecidableRows() {
    insertStuck(1, 3);
    schema.execute("update tasks set started_at = null where id < 3");

    assertThat(tasks().sweep(transactions)).isEqualTo(new SweepResult(1, 0, 0, 2, List.of(), true));
    assertThat(countTasks("status = 'EXECUTING' and version = 5")).isEqualTo(2);
  }

  @Test
  void sweepsOnlyMatchingRows() {
    insertStuck(1, 3, "mail");
    insertStuck(4, 8, "invoice");

    assertThat(tasks().where("kind", "mail").sweep(transactions)).isEqualTo(swept(3, 0));
    assertThat(countTasks("status = 'EXECUTING' and kind = 'invoice' and version = 5"))
        .isEqualTo(5);
  }

  @Test
  void sweepsAnEmptyTable() {
    assertThat(tasks().attempts("attempts", 5, "FAILED").sweep(transactions))
        .isEqualTo(swept(0, 0));
  }

  /** How somebody brings stuck tasks back. */
  @FunctionalInterface
  private interface Rescue {
    void run() throws Exception;
  }

  @Test
  void makesTheWorkerThatComesBackLose() throws Exception {
    assertThatTheZombieLoses(() -> tasks().sweep(transactions));
  }

  @Test
  void controlWithoutVersionFails() {
    assertThatThrownBy(
            () ->
                assertThatTheZombieLoses(
                    () ->
                        schema.execute(
                            "update tasks set status = 'READY' where status = 'EXECUTING'")))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("Conflict");
  }

  private void assertThatTheZombieLoses(Rescue rescue) throws Exception {
    insertTask(7, Duration.ofHours(1));
    rescue.run();

    UpdateResult late =
        transactions.call(
            tx -> Update.table("tasks").set("status", "DONE").where("id", 7).version(5).apply(tx));

    assertThat(late).isInstanceOf(UpdateResult.Conflict.class);
    assertThat(task(7)).containsEntry("status", "READY");
  }

  @Test
  void endsAlthoughARowGetsStuckAgainAtOnce() {
    insertTask(1, Duration.ofHours(1));
    AtomicInteger second = new AtomicInteger();
    // stuck again after each batch, and always a second later: never behind the sweep
    Transactions hopeless =
        afterEachCommit(
            connection -> {
              int now = second.incrementAndGet();
              execute(
                  connection,
                  "update tasks set status = 'EXECUTING', started_at = timestamp '2020-01-01 %02d:%02d:%02d'"
                      .formatted(now / 3600, now / 60 % 60, now % 60));
            });
    schema.execute("update tasks set started_at = timestamp '2020-01-01 00:00:00'");

    SweepResult result = tasks().batch(10).sweep(hopeless);

    assertThat(result.complete()).isFalse();
    assertThat(result.recovered()).isEqualTo(1000);
  }

  @Test
  void visitsEachRowOnce() {
    insertStuck(1, 5);
    Transactions hopeless =
        afterEachCommit(connection -> execute(connection, "update tasks set status = 'EXECUTING'"));

    assertThat(tasks().batch(2).sweep(hopeless)).isEqualTo(swept(5, 0));
    assertThat(countTasks("version = 6")).isEqualTo(5);
  }

  @FunctionalInterface
  private interface OnConnection {
    void run(Connection connection) throws SQLException;
  }

  private Transactions afterEachCommit(OnConnection change) {
    return Transactions.on(
        new FaultyDataSource(schema.dataSource())
            .afterCommit(
                committed -> {
                  try (Connection connection = schema.dataSource().getConnection()) {
                    change.run(connection);
                  }
                })
            .dataSource());
  }

  private static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  @Test
  void isKnownToTheConflictRateByItsName() {
    ConflictRates rates = ConflictRates.create();
    insertStuck(1, 3);

    tasks().named("rescue").sweep(transactions.listener(rates));

    assertThat(rates.of("rescue").orElseThrow().attempts()).isPositive();
    assertThat(rates.of("rescue").orElseThrow().conflicts()).isZero();
  }

  @Test
  void namesWrongColumnWithoutStuckRows() {
    assertMissing(
        StuckRows.table("no_such_table")
            .key("id")
            .status("status", "EXECUTING")
            .olderThan("started_at", AGE)
            .recoverTo("READY")
            .version("version"));
    assertMissing(tasks().key("no_such_column"));
    assertMissing(tasks().status("no_such_column", "EXECUTING"));
    assertMissing(tasks().olderThan("no_such_column", AGE));
    assertMissing(untimed().leaseExpired("no_such_column"));
    assertMissing(tasks().version("no_such_column"));
    assertMissing(tasks().attempts("no_such_column", 5, "FAILED"));
    assertMissing(tasks().error("no_such_column", "text"));
    assertMissing(tasks().clear("no_such_column"));
    assertMissing(tasks().where("no_such_column", 1));
    insertStuck(1, 2);
    assertMissing(tasks().version("no_such_column"));
    assertThat(countTasks("status = 'EXECUTING' and version = 5")).isEqualTo(2);
  }

  private void assertMissing(StuckRows wrong) {
    SweepException stopped =
        catchThrowableOfType(SweepException.class, () -> wrong.sweep(transactions));
    assertThat(stopped.code()).isEqualTo("sweep-failed");
    assertThat(stopped.result()).isEqualTo(new SweepResult(0, 0, 0, 0, List.of(), false));
    assertThat(stopped.getMessage()).containsIgnoringCase("no_such");
    assertThat(stopped)
        .cause()
        .isInstanceOfSatisfying(
            DatabaseException.class,
            failure -> assertThat(failure.error()).isEqualTo(SqlError.OBJECT_NOT_FOUND));
  }

  @Test
  void refusesNamesThatAreMoreThanNames() {
    insertStuck(1, 2);
    String hostile = "id; drop table tasks";
    for (StuckRows bad :
        List.of(
            StuckRows.table("tasks where 1 = 1")
                .key("id")
                .status("status", "EXECUTING")
                .olderThan("started_at", AGE)
                .recoverTo("READY")
                .version("version"),
            tasks().key(hostile),
            tasks().version(hostile),
            tasks().olderThan("started_at\" < now() --", AGE),
            tasks().attempts(hostile, 5, "FAILED"),
            tasks().error(hostile, "text"),
            tasks().clear(hostile),
            tasks().where(hostile, 1))) {
      assertThatThrownBy(() -> bad.sweep(transactions))
          .isInstanceOf(InvalidArgumentException.class)
          .hasMessageContaining("name");
    }
    assertThat(countTasks("status = 'EXECUTING' and version = 5")).isEqualTo(2);
  }

  @Test
  void takesHostileValuesAsTheyAre() {
    insertStuck(1, 2);
    String hostile = "'; drop table tasks; --";

    SweepResult result =
        tasks().where("kind", hostile).error("last_error", hostile).sweep(transactions);
    assertThat(result).isEqualTo(swept(0, 0));
    assertThat(tasks().error("last_error", hostile).sweep(transactions)).isEqualTo(swept(2, 0));
    assertThat(task(1)).containsEntry("last_error", hostile);
  }

  @Test
  void refusesTransactionsThatMayNotWrite() {
    insertStuck(1, 2);

    assertThatThrownBy(() -> tasks().sweep(transactions.readOnly()))
        .isInstanceOf(TransactionStateException.class)
        .hasMessageContaining("read-only");
    assertThat(countTasks("status = 'EXECUTING' and version = 5")).isEqualTo(2);
  }

  @Test
  void refusesAKeyThatNamesSeveralRows() {
    insertStuck(1, 4);
    schema.execute("update tasks set kind = 'double' where id in (2, 3)");

    SweepException stopped =
        catchThrowableOfType(SweepException.class, () -> tasks().key("kind").sweep(transactions));

    assertThat(stopped).hasCauseInstanceOf(GuardException.class);
    assertThat(stopped.result().recovered()).isZero();
    assertThat(countTasks("status = 'EXECUTING' and version = 5")).isEqualTo(4);
  }

  @Test
  void rejectsAmbiguousKeyOfLaterBatch() {
    insertStuck(1, 2);
    schema.execute(
        "update tasks set kind = 'double'", "update tasks set attempts = 4 where id = 2");

    SweepException stopped =
        catchThrowableOfType(
            SweepException.class,
            () ->
                tasks().key("kind").attempts("attempts", 5, "FAILED").batch(1).sweep(transactions));

    assertThat(stopped).hasCauseInstanceOf(GuardException.class);
    assertThat(stopped).hasMessageContainingAll("kind", "tasks");
    assertThat(stopped.result().recovered()).isZero();
    assertThat(countTasks("status = 'EXECUTING' and version = 5")).isEqualTo(2);
  }

  @Test
  void refusesAKeyThatIsNull() {
    insertStuck(1, 2);
    schema.execute("update tasks set owner = null where id = 2");

    assertThatThrownBy(() -> tasks().key("owner").sweep(transactions))
        .isInstanceOf(InvalidArgumentException.class)
        .hasMessageContainingAll("key", "owner", "null");
    assertThat(countTasks("status = 'EXECUTING' and version = 5")).isEqualTo(2);
  }
}
