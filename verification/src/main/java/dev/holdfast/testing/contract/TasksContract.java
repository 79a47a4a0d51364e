package dev.holdfast.testing.contract;

import dev.holdfast.guard.StuckRows;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.transaction.Transaction;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;

/** What the contracts of the stuck-row monitor stand on: a table of tasks, some of them stuck. */
abstract class TasksContract extends DatabaseContract {
  static final Duration AGE = Duration.ofMinutes(5);

  TasksContract(TestDatabase database) {
    super(database);
  }

  @BeforeEach
  void createTasks() {
    schema.execute(
        """
        create table tasks (
          id bigint primary key,
          status varchar(20) not null,
          started_at timestamp(6) null,
          lease_until timestamp(6) null,
          owner varchar(50),
          attempts integer,
          last_error varchar(200),
          kind varchar(20) not null,
          version bigint not null,
          constraint no_poison check (kind <> 'poison' or status <> 'READY'))
        """,
        "create index tasks_stuck on tasks (status, started_at, id)");
  }

  static StuckRows tasks() {
    return untimed().olderThan("started_at", AGE);
  }

  /** Not yet told which rows are stuck. */
  static StuckRows untimed() {
    return StuckRows.table("tasks")
        .key("id")
        .status("status", "EXECUTING")
        .recoverTo("READY")
        .version("version");
  }

  /** A task in work since {@code age}, at version 5. */
  final void insertTask(long id, Duration age) {
    insertTask(id, age, "plain");
  }

  final void insertTask(long id, Duration age, String kind) {
    transactions.run(tx -> insertTask(tx, id, age, kind));
  }

  /** Tasks from {@code first} to {@code last} whose workers died an hour ago, at version 5. */
  final void insertStuck(long first, long last) {
    insertStuck(first, last, "plain");
  }

  final void insertStuck(long first, long last, String kind) {
    transactions.run(
        tx -> {
          for (long id = first; id <= last; id++) {
            insertTask(tx, id, Duration.ofHours(1), kind);
          }
        });
  }

  private static void insertTask(Transaction tx, long id, Duration age, String kind) {
    String past = tx.dialect().nowMinusMicroseconds();
    try (PreparedStatement insert =
        tx.connection()
            .prepareStatement(
                "insert into tasks (id, status, owner, attempts, kind, version, started_at,"
                    + " lease_until) values (?, 'EXECUTING', 'worker', 0, ?, 5, "
                    + past
                    + ", "
                    + past
                    + ")")) {
      insert.setLong(1, id);
      insert.setString(2, kind);
      insert.setLong(3, TimeUnit.MICROSECONDS.convert(age));
      insert.setLong(4, TimeUnit.MICROSECONDS.convert(age));
      insert.executeUpdate();
    } catch (SQLException e) {
      throw new IllegalStateException("cannot insert task " + id, e);
    }
  }

  final long countTasks(String condition) {
    return schema.count("select count(*) from tasks where " + condition);
  }

  final Map<String, Object> task(long id) {
    return schema.query("select * from tasks where id = " + id).get(0);
  }
}
