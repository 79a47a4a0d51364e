package dev.holdfast.testing.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.holdfast.BackgroundService;
import dev.holdfast.guard.ConditionalUpdate;
import dev.holdfast.guard.ConditionalUpdateResult;
import dev.holdfast.guard.OptimisticLockException;
import dev.holdfast.guard.RowLocks;
import dev.holdfast.guard.StuckRows;
import dev.holdfast.guard.SweepResult;
import dev.holdfast.guard.Update;
import dev.holdfast.guard.UpdateResult;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Tasks in the service's own table: one worker gets each and moves the end of its lease while it is
 * alive, and those of dead workers come back.
 */
class TaskExampleIT extends Shop {
  private static final Duration LEASE = Duration.ofSeconds(30);

  private static final StuckRows ABANDONED =
      StuckRows.table("tasks")
          .key("id")
          .status("status", "EXECUTING")
          .leaseExpired("lease_until")
          .recoverTo("READY")
          .attempts("attempts", 5, "FAILED")
          .error("last_error", "its worker did not come back")
          .clear("lease_until")
          .version("version");

  @BeforeEach
  void fileATask() {
    schema.execute(
        "create table tasks (id bigint primary key, status varchar(10), lease_until timestamptz,"
            + " attempts integer, last_error varchar(100), version bigint not null default 0,"
            + " check (status <> 'EXECUTING' or lease_until is not null))",
        "insert into tasks (id, status) values (1, 'READY')");
  }

  /** A task that is this worker's; the version proves so with every change. */
  private final class Claim {
    private final long task;
    private long version;

    Claim(long task, long version) {
      this.task = task;
      this.version = version;
    }

    void renew() {
      version =
          transactions.call(
              tx ->
                  Update.table("tasks")
                      .setNowPlus("lease_until", LEASE)
                      .where("id", task)
                      .version(version)
                      .applyOrThrow(tx));
    }

    boolean finish() {
      return transactions.call(
          tx ->
              Update.table("tasks")
                      .set("status", "DONE")
                      .set("lease_until", null)
                      .where("id", task)
                      .version(version)
                      .apply(tx)
                  instanceof UpdateResult.Applied);
    }
  }

  /** The version of the task, if it is now this worker's. */
  private OptionalLong take(long task) {
    return transactions.call(
        tx -> {
          ConditionalUpdateResult taken =
              ConditionalUpdate.table("tasks")
                  .where("id", task)
                  .transition("status", "READY", "EXECUTING")
                  .setNowPlus("lease_until", LEASE)
                  .version("version")
                  .apply(tx);
          // in the same transaction: nobody can have changed it in between
          return taken.changed()
              ? OptionalLong.of(
                  RowLocks.lock(tx, "tasks", List.of(task)).row("tasks", task).number("version"))
              : OptionalLong.empty();
        });
  }

  private Claim claim(long task) {
    return new Claim(task, take(task).getAsLong());
  }

  private void letTheLeaseEnd() {
    schema.execute("update tasks set lease_until = lease_until - interval '1 hour'");
  }

  @Test
  void oneWorkerGetsATask() {
    Claim claim = claim(1);

    assertThat(take(1)).isEmpty();
    assertThat(claim.finish()).isTrue();
  }

  @Test
  void renewalKeepsTask() {
    Claim claim = claim(1);
    letTheLeaseEnd();
    claim.renew();
    claim.renew();

    assertThat(ABANDONED.sweep(transactions).recovered()).isZero();
    assertThat(claim.finish()).isTrue();
  }

  @Test
  void taskOfDeadWorkerReturns() {
    Claim first = claim(1);
    letTheLeaseEnd();

    SweepResult swept = ABANDONED.sweep(transactions);
    Claim second = claim(1);

    assertThat(swept.recovered()).isEqualTo(1);
    assertThat(first.finish()).as("the first comes back").isFalse();
    assertThatThrownBy(first::renew).isInstanceOf(OptimisticLockException.class);
    assertThat(second.finish()).isTrue();
  }

  @Test
  void aMonitorSweepsAgainAndAgain() {
    claim(1);
    letTheLeaseEnd();

    BackgroundService monitor = ABANDONED.monitor(transactions, Duration.ofSeconds(10));
    monitor.start();

    await().until(() -> monitor.health().details().containsKey("recovered"));
    monitor.close(); // when the service stops

    assertThat(take(1)).isPresent();
  }
}
