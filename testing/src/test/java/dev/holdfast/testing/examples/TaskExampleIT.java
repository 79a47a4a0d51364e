package dev.holdfast.testing.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.guard.Conditional;
import dev.holdfast.guard.ConditionalResult;
import dev.holdfast.guard.StuckRows;
import dev.holdfast.guard.SweepResult;
import dev.holdfast.guard.Update;
import dev.holdfast.guard.UpdateResult;
import java.time.Duration;
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
            + " integer, last_error varchar(100), started_at timestamptz, version bigint)",
        "insert into tasks values (1, 'READY', null, 0, null, null, 0)");
  }

  private boolean take(long task, String worker) {
    return transactions.call(
        tx ->
            Conditional.table("tasks")
                    .where("id", task)
                    .transition("status", "READY", "EXECUTING")
                    .set("owner", worker)
                    .setNow("started_at")
                    .apply(tx)
                instanceof ConditionalResult.Changed);
  }

  @Test
  void oneWorkerGetsATask() {
    assertThat(take(1, "one")).isTrue();
    assertThat(take(1, "two")).isFalse();
  }

  @Test
  void aTaskOfADeadWorkerComesBackAndTheWorkerLoses() {
    take(1, "one");
    schema.execute("update tasks set started_at = started_at - interval '1 hour'");

    SweepResult swept = ABANDONED.sweep(transactions);

    assertThat(swept.recovered()).isEqualTo(1);
    UpdateResult late =
        transactions.call(
            tx -> Update.table("tasks").set("status", "DONE").where("id", 1).version(0).apply(tx));
    assertThat(late).isInstanceOf(UpdateResult.Conflict.class);
  }
}
