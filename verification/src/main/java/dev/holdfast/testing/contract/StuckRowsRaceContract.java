package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.guard.StuckRows;
import dev.holdfast.guard.SweepResult;
import dev.holdfast.internal.sql.Dialect;
import dev.holdfast.internal.sql.LockWait;
import dev.holdfast.testing.ConcurrentActors;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.transaction.Transaction;
import dev.holdfast.transaction.Transactions;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What the stuck-row monitor guarantees while others work on the same rows. */
public abstract class StuckRowsRaceContract extends TasksContract {
  private static final int SWEEPERS = 8;

  protected StuckRowsRaceContract(TestDatabase database) {
    super(database);
  }

  private static SweepResult swept(int recovered) {
    return new SweepResult(recovered, 0, 0, 0, List.of(), true);
  }

  @Test
  void leavesLockedRowsToALaterSweep() throws Exception {
    insertStuck(1, 10);
    // the first of two batches is locked whole, and the second in part; each row by itself, as
    // InnoDB locks all that a statement reads, which for a list may be the whole table
    List<String> locks =
        IntStream.rangeClosed(1, 7)
            .mapToObj(id -> "update tasks set owner = 'somebody' where id = " + id)
            .toList();

    assertThat(sweptBeside(locks, Connection::rollback, tasks().batch(5))).isEqualTo(swept(3));

    assertThat(tasks().batch(5).sweep(transactions)).isEqualTo(swept(7));
    assertThat(countTasks("status = 'READY' and version = 6")).isEqualTo(10);
  }

  @Test
  void leavesRowOfFinishingWorker() throws Exception {
    insertTask(1, Duration.ofHours(1));
    String finish = "update tasks set status = 'DONE', version = version + 1 where id = 1";

    assertThat(sweptBeside(List.of(finish), Connection::commit, tasks())).isEqualTo(swept(0));

    assertThat(tasks().sweep(transactions)).isEqualTo(swept(0));
    assertThat(task(1)).containsEntry("status", "DONE").containsEntry("version", 6L);
  }

  @Test
  void leavesRowOfRenewingWorker() throws Exception {
    StuckRows leased = untimed().leaseExpired("lease_until");
    insertTask(1, Duration.ofHours(1));
    String renew = "update tasks set lease_until = timestamp '2035-01-01 00:00:00' where id = 1";

    assertThat(sweptBeside(List.of(renew), Connection::commit, leased)).isEqualTo(swept(0));

    assertThat(leased.sweep(transactions)).isEqualTo(swept(0));
    assertThat(task(1)).containsEntry("status", "EXECUTING").containsEntry("version", 5L);
  }

  @FunctionalInterface
  private interface End {
    void of(Connection connection) throws SQLException;
  }

  /**
   * Sweeps while somebody has changed rows and not ended the transaction. That ends when the sweep
   * has, or when it has become clear that the sweep waits for it, which it should not.
   */
  private SweepResult sweptBeside(List<String> changes, End end, StuckRows stuck) throws Exception {
    try (Connection worker = schema.unpooled().getConnection()) {
      worker.setAutoCommit(false);
      for (String change : changes) {
        change(worker, change);
      }
      CompletableFuture<SweepResult> sweep =
          CompletableFuture.supplyAsync(() -> stuck.sweep(transactions));
      try {
        sweep.get(10, TimeUnit.SECONDS);
      } catch (TimeoutException itWaits) {
        // and shall have what it waits for
      }
      end.of(worker);
      return sweep.get(30, TimeUnit.SECONDS);
    }
  }

  @Test
  void doesNotTakeAShortBatchForTheEnd() throws Exception {
    assertThatAShortBatchIsNotTheEnd(
        afterFirst ->
            tasks()
                .batch(5)
                .sweep(
                    Transactions.on(
                            new FaultyDataSource(schema.dataSource())
                                .afterCommit(committed -> afterFirst.run())
                                .dataSource())
                        // waiting for a lock of this thread would be waiting for ever
                        .lockTimeout(Duration.ofSeconds(1)))
                .recovered());
  }

  @Test
  void controlStoppingAfterOneBatchFails() {
    assertThatThrownBy(
            () ->
                assertThatAShortBatchIsNotTheEnd(
                    afterFirst -> {
                      int recovered = 0;
                      int batch;
                      do {
                        batch = transactions.call(tx -> resetLocked(tx, 5));
                        recovered += batch;
                        afterFirst.run();
                      } while (batch == 5);
                      return recovered;
                    }))
        .isInstanceOf(AssertionError.class)
        .hasMessageContainingAll("expected: 6", "but was: 3");
  }

  /** Sweeps, and says when the first rows have been recovered; answers how many in all. */
  @FunctionalInterface
  private interface BatchSweeper {
    int sweep(Callback afterBatch) throws Exception;
  }

  @FunctionalInterface
  private interface Callback {
    void run() throws SQLException;
  }

  private void assertThatAShortBatchIsNotTheEnd(BatchSweeper sweeper) throws Exception {
    insertStuck(1, 6);
    try (Connection holder = schema.unpooled().getConnection()) {
      holder.setAutoCommit(false);
      change(holder, "update tasks set owner = 'somebody' where id in (4, 5, 6)");

      int recovered =
          sweeper.sweep(
              () -> {
                if (countTasks("status = 'READY'") > 0) {
                  holder.rollback();
                }
              });

      assertThat(recovered).isEqualTo(6);
    }
    assertThat(countTasks("status = 'READY' and version = 6")).isEqualTo(6);
  }

  private static int resetLocked(Transaction tx, int most) throws SQLException {
    String lock = tx.dialect().lockForUpdate(LockWait.SKIP_LOCKED);
    List<Long> ids =
        ids(
            tx.connection(),
            "select id from tasks where status = 'EXECUTING' order by started_at, id limit "
                + most
                + lock);
    return reset(tx.connection(), ids);
  }

  @Test
  void recoversEachRowOnceConcurrently() {
    assertEachIsRecoveredOnce(500, index -> tasks().batch(20).sweep(transactions).recovered());
  }

  @Test
  void controlReadingBeforeWritingFails() {
    CyclicBarrier allHaveRead = new CyclicBarrier(SWEEPERS);
    assertThatThrownBy(
            () ->
                assertEachIsRecoveredOnce(
                    20,
                    index -> {
                      List<Long> stuck = stuckTasks();
                      allHaveRead.await(30, TimeUnit.SECONDS);
                      return resetById(stuck);
                    }))
        .isInstanceOf(AssertionError.class)
        .hasMessageContainingAll("expected: 20", "but was: 160");
  }

  private void assertEachIsRecoveredOnce(int rows, ConcurrentActors.Actor<Integer> sweeper) {
    insertStuck(1, rows);

    List<Integer> recovered = ConcurrentActors.run(SWEEPERS, sweeper).resultsOrThrow();

    assertThat(recovered.stream().mapToInt(Integer::intValue).sum()).isEqualTo(rows);
    assertThat(countTasks("status = 'READY' and version = 6")).isEqualTo(rows);
  }

  @Test
  void neverResetsWhatLiveWorkersHaveFinished() {
    createStorm();
    TaskStorm storm = new TaskStorm(schema, transactions);
    ThreadLocal<Boolean> first = ThreadLocal.withInitial(() -> true);
    FaultyDataSource watched =
        new FaultyDataSource(schema.dataSource())
            .onPrepare(
                // not FOR UPDATE: rows are found by now, unless one statement does it all
                sql -> sql.contains("UPDATE ") && sql.contains(" SET "),
                connection -> {
                  if (first.get()) {
                    first.set(false);
                    storm.delicateMoment();
                    storm.letSlowWorkersTry();
                  }
                });

    storm.run(
        running -> {
          SweepResult result = tasks().batch(10).sweep(Transactions.on(watched.dataSource()));
          assertThat(result.poisoned()).isEmpty();
          return result.recovered();
        });
  }

  @Test
  void controlWithoutRecheckFails() {
    createStorm();
    assertThatThrownBy(
            () ->
                new TaskStorm(schema, transactions)
                    .run(
                        storm -> {
                          List<Long> stuck = stuckTasks();
                          storm.delicateMoment();
                          storm.awaitSlowWorkers();
                          return resetById(stuck);
                        }))
        .isInstanceOf(AssertionError.class)
        .hasMessageFindingMatch("how often task|keeps its task");
  }

  private void createStorm() {
    insertStuck(1, TaskStorm.TASKS);
    schema.execute("update tasks set status = 'READY' where id > " + TaskStorm.SLOW);
  }

  /** The ids of tasks that look stuck, read without a lock. */
  private List<Long> stuckTasks() throws SQLException {
    try (Connection connection = schema.dataSource().getConnection()) {
      return ids(
          connection,
          "select id from tasks where status = 'EXECUTING' and started_at < "
              + Dialect.of(connection)
                  .nowMinusMicroseconds()
                  .replace("?", Long.toString(TimeUnit.MICROSECONDS.convert(AGE))));
    }
  }

  private int resetById(List<Long> ids) throws SQLException {
    try (Connection connection = schema.dataSource().getConnection()) {
      return reset(connection, ids);
    }
  }

  private static List<Long> ids(Connection connection, String query) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(query)) {
      List<Long> ids = new ArrayList<>();
      while (row.next()) {
        ids.add(row.getLong(1));
      }
      return ids;
    }
  }

  private static int reset(Connection connection, List<Long> ids) throws SQLException {
    int reset = 0;
    for (long id : ids) {
      reset +=
          change(
              connection,
              "update tasks set status = 'READY', version = version + 1 where id = " + id);
    }
    return reset;
  }

  private static int change(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      return statement.executeUpdate(sql);
    }
  }
}
