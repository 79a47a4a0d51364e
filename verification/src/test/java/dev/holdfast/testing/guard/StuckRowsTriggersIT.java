package dev.holdfast.testing.guard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.guard.StuckRows;
import dev.holdfast.guard.SweepResult;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestSchema;
import dev.holdfast.transaction.SqlError;
import dev.holdfast.transaction.Transactions;
import org.junit.jupiter.api.Test;

/** A row whose trigger is in the way does not keep the stuck-row monitor from the others. */
class StuckRowsTriggersIT {
  private static final String TABLE =
      """
      create table tasks (
        id bigint primary key,
        status varchar(20) not null,
        lease_until timestamp(6) null,
        version bigint not null)
      """;

  private static void createTasks(TestSchema schema) {
    schema.execute(TABLE);
    for (int id = 1; id <= 5; id++) {
      schema.execute(
          "insert into tasks values (" + id + ", 'EXECUTING', timestamp '2020-01-01 00:00:00', 5)");
    }
  }

  private static SweepResult.Poisoned assertOnlyTheThirdIsPoisoned(TestSchema schema) {
    SweepResult result =
        StuckRows.table("tasks")
            .key("id")
            .status("status", "EXECUTING")
            .recoverTo("READY")
            .leaseExpired("lease_until")
            .version("version")
            .sweep(Transactions.on(schema.dataSource()));

    assertThat(result.recovered()).isEqualTo(4);
    assertThat(result.complete()).isTrue();
    assertThat(result.unconfirmed()).isZero();
    assertThat(schema.count("select count(*) from tasks where status = 'READY' and version = 6"))
        .isEqualTo(4);
    assertThat(schema.count("select id from tasks where status = 'EXECUTING' and version = 5"))
        .isEqualTo(3);
    assertThat(result.poisoned()).hasSize(1);
    assertThat(result.poisoned().get(0).key()).isEqualTo(3L);
    return result.poisoned().get(0);
  }

  /** PostgreSQL, with a trigger on the third task that does {@code action}. */
  private static SweepResult.Poisoned onPostgreSql(String trigger, String action) {
    try (TestSchema schema = TestDatabase.postgreSql().newSchema()) {
      createTasks(schema);
      schema.execute(
          "create function meddle() returns trigger language plpgsql as $$ begin "
              + action
              + " end $$",
          "create " + trigger + " for each row when (old.id = 3) execute function meddle()");
      return assertOnlyTheThirdIsPoisoned(schema);
    }
  }

  @Test
  void thatRaisesAnError() {
    SweepResult.Poisoned poisoned =
        onPostgreSql(
            "trigger meddling before update on tasks", "raise exception 'not on my watch';");

    assertThat(poisoned.message()).contains("not on my watch");
    assertThat(poisoned.error()).isEqualTo(SqlError.UNKNOWN);
  }

  @Test
  void thatRaisesAnErrorOnlyAtTheCommit() {
    SweepResult.Poisoned poisoned =
        onPostgreSql(
            "constraint trigger meddling after update on tasks deferrable initially deferred",
            "raise exception 'not on my watch';");

    assertThat(poisoned.message()).contains("not on my watch");
  }

  @Test
  void thatLeavesTheRowAsItWas() {
    SweepResult.Poisoned poisoned =
        onPostgreSql("trigger meddling before update on tasks", "return null;");

    assertThat(poisoned.message()).contains("triggers");
  }

  @Test
  void thatNamesATableWhichIsNotThere() {
    SweepResult.Poisoned poisoned =
        onPostgreSql(
            "trigger meddling before update on tasks",
            "insert into no_such_table values (1); return new;");

    assertThat(poisoned.error()).isEqualTo(SqlError.OBJECT_NOT_FOUND);
  }

  @Test
  void thatKillsTheSession() {
    SweepResult.Poisoned poisoned =
        onPostgreSql(
            "trigger meddling before update on tasks",
            "perform pg_terminate_backend(pg_backend_pid()); perform pg_sleep(10); return new;");

    assertThat(poisoned.error()).isEqualTo(SqlError.CONNECTION_LOST);
  }

  @Test
  void thatSignalsAnErrorOnMariaDb() {
    try (TestSchema schema = TestDatabase.mariaDb().newSchema()) {
      createTasks(schema);
      schema.execute(
          "create trigger meddling before update on tasks for each row"
              + " if old.id = 3 then signal sqlstate '45000' set message_text = 'not on my watch';"
              + " end if");

      assertThat(assertOnlyTheThirdIsPoisoned(schema).message()).contains("not on my watch");
    }
  }
}
