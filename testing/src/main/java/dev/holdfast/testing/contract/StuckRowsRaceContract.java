package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.guard.StuckRows;
import dev.holdfast.guard.SweepResult;
import dev.holdfast.guard.Update;
import dev.holdfast.sql.Transaction;
import dev.holdfast.testing.Actors;
import dev.holdfast.testing.TestDatabase;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What the stuck-row monitor guarantees while others work on the same rows. */
public abstract class StuckRowsRaceContract extends TasksContract {
  private static final int SWEEPERS = 8;

  protected StuckRowsRaceContract(TestDatabase database) {
    super(database);
  }

  @Test
  void leavesLockedRowsToALaterSweep() throws SQLException {
    insertStuck(1, 10);
    try (Connection holder = schema.unpooled().getConnection()) {
      holder.setAutoCommit(false);
      // the first of two batches is locked whole, and the second in part
      change(holder, "update tasks set owner = 'somebody' where id <= 7");

      assertThat(tasks().batch(5).sweep(transactions).recovered()).isEqualTo(3);
      assertThat(countTasks("status = 'READY'")).isEqualTo(3);
      holder.rollback();
    }
    assertThat(tasks().batch(5).sweep(transactions).recovered()).isEqualTo(7);
    assertThat(countTasks("status = 'READY' and version = 6")).isEqualTo(10);
  }

  @Test
  void leavesARowAloneWhoseWorkerIsJustFinishing() throws SQLException {
    insertTask(1, Duration.ofHours(1));
    try (Connection worker = schema.unpooled().getConnection()) {
      worker.setAutoCommit(false);
      Update.table("tasks")
          .set("status", "DONE")
          .where("id", 1)
          .version(5)
          .applyOrThrow(Transaction.on(worker));

      assertThat(tasks().sweep(transactions).recovered()).isZero();
      worker.commit();
    }
    assertThat(tasks().sweep(transactions).recovered()).isZero();
    assertThat(task(1)).containsEntry("status", "DONE").containsEntry("version", 6L);
  }

  @Test
  void leavesARowAloneWhoseWorkerIsJustRenewingItsLease() throws SQLException {
    StuckRows leased = tasks().leaseExpired("lease_until");
    insertTask(1, Duration.ofHours(1));
    try (Connection worker = schema.unpooled().getConnection()) {
      worker.setAutoCommit(false);
      change(worker, "update tasks set lease_until = timestamp '2035-01-01 00:00:00'");

      assertThat(leased.sweep(transactions).recovered()).isZero();
      worker.commit();
    }
    assertThat(leased.sweep(transactions).recovered()).isZero();
    assertThat(task(1)).containsEntry("status", "EXECUTING").containsEntry("version", 5L);
  }

  @Test
  void recoversEachRowOnceHoweverManySweepAtOnce() {
    assertEachIsRecoveredOnce(500, index -> tasks().batch(20).sweep(transactions).recovered());
  }

  @Test
  void theTestForOnceCatchesSweepersThatReadFirstAndThenWrite() {
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
        .isInstanceOf(AssertionError.class);
  }

  private void assertEachIsRecoveredOnce(int rows, Actors.Actor<Integer> sweeper) {
    insertStuck(1, rows);

    List<Integer> recovered = Actors.run(SWEEPERS, sweeper).resultsOrThrow();

    assertThat(recovered.stream().mapToInt(Integer::intValue).sum()).isEqualTo(rows);
    assertThat(countTasks("status = 'READY' and version = 6")).isEqualTo(rows);
  }

  @Test
  void neverResetsWhatLiveWorkersHaveFinished() {
    createStorm();
    new TaskStorm(schema, transactions)
        .run(
            storm -> {
              storm.delicateMoment();
              SweepResult result = tasks().batch(10).sweep(transactions);
              assertThat(result.poisoned()).isEmpty();
              return result.recovered();
            });
  }

  @Test
  void theStormCatchesSweepersThatDoNotLookAgainWhenTheyWrite() {
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
        .isInstanceOf(AssertionError.class);
  }

  private void createStorm() {
    insertStuck(1, TaskStorm.TASKS);
    schema.execute("update tasks set status = 'READY' where id > " + TaskStorm.SLOW);
  }

  /** The ids of tasks that look stuck, read without a lock. */
  private List<Long> stuckTasks() throws SQLException {
    String past =
        transactions.<String, SQLException>call(tx -> tx.dialect().nowMinusMicroseconds());
    try (Connection connection = schema.dataSource().getConnection();
        PreparedStatement select =
            connection.prepareStatement(
                "select id from tasks where status = 'EXECUTING' and started_at < " + past)) {
      select.setLong(1, TimeUnit.MICROSECONDS.convert(AGE));
      List<Long> ids = new ArrayList<>();
      try (ResultSet row = select.executeQuery()) {
        while (row.next()) {
          ids.add(row.getLong(1));
        }
      }
      return ids;
    }
  }

  private int resetById(List<Long> ids) throws SQLException {
    int reset = 0;
    try (Connection connection = schema.dataSource().getConnection()) {
      for (long id : ids) {
        reset +=
            change(
                connection,
                "update tasks set status = 'READY', version = version + 1 where id = " + id);
      }
    }
    return reset;
  }

  private static int change(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      return statement.executeUpdate(sql);
    }
  }
}
