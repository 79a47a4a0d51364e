package dev.holdfast.testing.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.guard.StuckRows;
import dev.holdfast.guard.SweepException;
import dev.holdfast.guard.SweepResult;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestSchema;
import dev.holdfast.transaction.Transactions;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * The stuck-row monitor tells what a user may not do at all from what a row does not allow. The
 * MariaDB of the tests knows no users.
 */
class StuckRowsPrivilegesIT {
  private static final StuckRows TASKS =
      StuckRows.table("tasks")
          .key("id")
          .status("status", "EXECUTING")
          .recoverTo("READY")
          .leaseExpired("lease_until")
          .version("version");

  private static TestSchema tasks(TestDatabase database) {
    TestSchema schema = database.newSchema();
    schema.execute(
        """
        create table tasks (
          id bigint primary key,
          status varchar(20) not null,
          lease_until timestamp(6) null,
          version bigint not null)
        """,
        "insert into tasks values (1, 'EXECUTING', timestamp '2020-01-01 00:00:00', 5)",
        "insert into tasks values (2, 'EXECUTING', timestamp '2020-01-02 00:00:00', 5)",
        "insert into tasks values (3, 'EXECUTING', timestamp '2020-01-03 00:00:00', 5)");
    return schema;
  }

  private static HikariDataSource pool(TestSchema schema, String user) {
    HikariDataSource pool = new HikariDataSource();
    // without the settings of H2, which only an administrator may make
    pool.setJdbcUrl(schema.url().replaceFirst(";.*", ""));
    pool.setUsername(user);
    pool.setPassword("secret");
    pool.setMaximumPoolSize(2);
    return pool;
  }

  private static void assertStops(TestSchema schema, String reader, String because) {
    try (HikariDataSource pool = pool(schema, reader)) {
      SweepException stopped =
          catchThrowableOfType(SweepException.class, () -> TASKS.sweep(Transactions.on(pool)));

      assertThat(stopped).hasMessageContaining(because);
      assertThat(stopped.result()).isEqualTo(new SweepResult(0, 0, 0, 0, List.of(), false));
    }
    assertThat(schema.count("select count(*) from tasks where version = 5")).isEqualTo(3);
  }

  @Test
  void onPostgreSql() {
    try (TestSchema schema = tasks(TestDatabase.postgreSql())) {
      String user = schema.name() + "_user";
      schema.execute(
          "create role " + user + " login password 'secret'",
          "grant usage on schema " + schema.name() + " to " + user,
          "grant select on tasks to " + user);
      try {
        assertStops(schema, user, "permission denied");

        schema.execute(
            "grant update on tasks to " + user,
            "alter table tasks enable row level security",
            "create policy meddling on tasks using (true) with check (id <> 2)");
        try (HikariDataSource pool = pool(schema, user)) {
          SweepResult result = TASKS.sweep(Transactions.on(pool));

          // refused with the same code as before, but because of the row
          assertThat(result.recovered()).isEqualTo(2);
          assertThat(result.poisoned()).extracting(SweepResult.Poisoned::key).containsExactly(2L);
          assertThat(result.complete()).isTrue();
        }
      } finally {
        schema.execute("drop owned by " + user, "drop role " + user);
      }
    }
  }

  @Test
  void onH2() {
    try (TestSchema schema = tasks(TestDatabase.h2())) {
      schema.execute("create user reader password 'secret'", "grant select on tasks to reader");
      assertStops(schema, "reader", "Not enough rights");
    }
  }
}
