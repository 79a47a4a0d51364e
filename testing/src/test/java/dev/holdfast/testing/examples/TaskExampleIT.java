package dev.holdfast.testing.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.guard.Conditional;
import dev.holdfast.guard.ConditionalResult;
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

/** Tasks in the service's own table: one worker gets each, and those of dead workers come back. */
class TaskExampleIT extends Shop {
  private static final StuckRows ABANDONED =
      StuckRows.table("tasks")
          .key("id")
          .status("status", "EXECUTING")
          .olderThan("started_at", Duration.ofMinutes(5))
          .recoverTo("READY")
          .attempts("attempts", 5, "FAILED")
          .error("last_error", "its worker did not come back")
          .version("version");

  @BeforeEach
  void fileATask() {
    schema.execute(
        "create table tasks (id bigint primary key, status varchar(10), owner varchar(20), attempts"
            + " integer, last_error varchar(100), started_at timestamptz, version bigint not null)",
        "insert into tasks values (1, 'READY', null, 0, null, null, 0)");
  }

  /** The version of the task, if it is now this worker's; it proves so when the work is done. */
  private OptionalLong take(long task, String worker) {
    return transactions.call(
        tx -> {
          ConditionalResult taken =
              Conditional.table("tasks")
                  .where("id", task)
                  .transition("status", "READY", "EXECUTING")
                  .set("owner", worker)
                  .setNow("started_at")
                  .apply(tx);
          // in the same transaction: nobody can have changed it in between
          return taken.changed()
              ? OptionalLong.of(
                  RowLocks.lock(tx, "tasks", List.of(task)).row("tasks", task).number("version"))
              : OptionalLong.empty();
        });
  }

  private boolean finish(long task, long version) {
    return transactions.call(
        tx ->
            Update.table("tasks").set("status", "DONE").where("id", task).version(version).apply(tx)
                instanceof UpdateResult.Applied);
  }

  @Test
  void oneWorkerGetsATask() {
    OptionalLong version = take(1, "one");

    assertThat(version).hasValue(0);
    assertThat(take(1, "two")).isEmpty();
    assertThat(finish(1, version.getAsLong())).isTrue();
  }

  @Test
  void aTaskOfADeadWorkerComesBackAndTheWorkerLoses() {
    long ofTheFirst = take(1, "one").getAsLong();
    schema.execute("update tasks set started_at = started_at - interval '1 hour'");

    SweepResult swept = ABANDONED.sweep(transactions);
    long ofTheSecond = take(1, "two").getAsLong();

    assertThat(swept.recovered()).isEqualTo(1);
    assertThat(finish(1, ofTheFirst)).as("the first comes back").isFalse();
    assertThat(finish(1, ofTheSecond)).isTrue();
  }
}
