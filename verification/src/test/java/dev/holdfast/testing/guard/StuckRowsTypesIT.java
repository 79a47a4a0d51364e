package dev.holdfast.testing.guard;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.guard.StuckRows;
import dev.holdfast.guard.SweepResult;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestSchema;
import dev.holdfast.transaction.Transactions;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The stuck-row monitor works with the types that people give such columns. */
class StuckRowsTypesIT {
  private enum Status {
    EXECUTING,
    READY,
    FAILED
  }

  private static StuckRows tasks() {
    return StuckRows.table("tasks")
        .key("id")
        .status("status", Status.EXECUTING)
        .recoverTo(Status.READY)
        .olderThan("started_at", Duration.ofMinutes(5))
        .version("version")
        .attempts("attempts", 2, Status.FAILED)
        .batch(2);
  }

  @Test
  void onPostgreSqlWithUuidEnumAndTimestamptz() {
    try (TestSchema schema = TestDatabase.postgreSql().newSchema()) {
      schema.execute(
          "create type task_status as enum ('READY', 'EXECUTING', 'FAILED')",
          """
          create table tasks (
            id uuid primary key default gen_random_uuid(),
            status task_status not null default 'EXECUTING',
            started_at timestamptz,
            attempts smallint not null,
            version integer not null default 0)
          """,
          "insert into tasks (started_at, attempts) select now() - interval '6 min', n % 2"
              + " from generate_series(1, 10) n",
          "insert into tasks (started_at, attempts) select now() - interval '4 min', 0"
              + " from generate_series(1, 10) n");
      assertRecovers(schema, "set time zone 'Asia/Tokyo'");
    }
  }

  @Test
  void onMariaDbWithUuidEnumAndTimestamp() {
    try (TestSchema schema = TestDatabase.mariaDb().newSchema()) {
      schema.execute(
          """
          create table tasks (
            id uuid primary key default uuid(),
            status enum ('READY', 'EXECUTING', 'FAILED') not null default 'EXECUTING',
            started_at timestamp null,
            attempts smallint not null,
            version integer not null default 0)
          """,
          "insert into tasks (started_at, attempts) select now() - interval 6 minute, seq % 2"
              + " from seq_1_to_10",
          "insert into tasks (started_at, attempts) select now() - interval 4 minute, 0"
              + " from seq_1_to_10");
      assertRecovers(schema, "set time_zone = '+09:00'");
    }
  }

  @Test
  void onMariaDbWithABinaryKey() {
    try (TestSchema schema = TestDatabase.mariaDb().newSchema()) {
      schema.execute(
          """
          create table tasks (
            id binary(16) primary key,
            status varchar(10) not null default 'EXECUTING',
            started_at datetime(3),
            attempts smallint not null,
            version integer not null default 0)
          """,
          "insert into tasks (id, started_at, attempts) select unhex(md5(seq)),"
              + " now(3) - interval 6 minute, seq % 2 from seq_1_to_10",
          "insert into tasks (id, started_at, attempts) select unhex(md5(seq)),"
              + " now(3) - interval 4 minute, 0 from seq_11_to_20");
      assertRecovers(schema, "select 1");
    }
  }

  /** Which drivers show as null, although it is older than everything. */
  @Test
  void onMariaDbWithZeroDates() {
    for (String type : List.of("datetime(6) null", "timestamp(6) null", "datetime null", "date")) {
      for (String mode : List.of("", ",NO_ZERO_DATE,NO_ZERO_IN_DATE")) {
        try (TestSchema schema = TestDatabase.mariaDb().newSchema()) {
          schema.execute(
              "create table tasks (id int primary key, status varchar(10), started_at "
                  + type
                  + ", attempts int default 0, version int default 0,"
                  + " check (id not in (1, 3) or status <> 'READY'))",
              "set sql_mode = 'STRICT_TRANS_TABLES'",
              "insert into tasks (id, status, started_at) values (1, 'EXECUTING', 0),"
                  + " (2, 'EXECUTING', 0), (3, 'EXECUTING', 0),"
                  + " (4, 'EXECUTING', '2020-01-01'), (5, 'EXECUTING', '2020-01-02')");
          try (HikariDataSource pool =
              pool(schema, "set sql_mode = 'STRICT_TRANS_TABLES" + mode + "'")) {
            SweepResult result = tasks().batch(1).sweep(Transactions.on(pool));

            assertThat(result.recovered()).as("%s %s", type, mode).isEqualTo(3);
            assertThat(result.poisoned())
                .extracting(SweepResult.Poisoned::key)
                .containsExactly(1, 3);
            assertThat(result.complete()).isTrue();
          }
        }
      }
    }
  }

  @Test
  void sweepsUuidEnumAndZonedTimestampOnH2() {
    try (TestSchema schema = TestDatabase.h2().newSchema()) {
      schema.execute(
          """
          create table tasks (
            id uuid default random_uuid() primary key,
            status enum ('READY', 'EXECUTING', 'FAILED') default 'EXECUTING' not null,
            started_at timestamp with time zone,
            attempts smallint not null,
            version integer default 0 not null)
          """,
          "insert into tasks (started_at, attempts) select dateadd(minute, -6, current_timestamp),"
              + " mod(x, 2) from system_range(1, 10)",
          "insert into tasks (started_at, attempts)"
              + " select dateadd(minute, -4, current_timestamp), 0 from system_range(1, 10)");
      assertRecovers(schema, "set time zone 'Asia/Tokyo'");
    }
  }

  /** Of 20 tasks ten are stuck, and five of these have no attempt left. */
  private static void assertRecovers(TestSchema schema, String otherTimeZone) {
    try (HikariDataSource elsewhere = pool(schema, otherTimeZone)) {
      SweepResult result = tasks().sweep(Transactions.on(elsewhere));

      assertThat(result.poisoned()).isEmpty();
      assertThat(result.recovered()).isEqualTo(5);
      assertThat(result.failed()).isEqualTo(5);
      assertThat(result.complete()).isTrue();
    }
    assertThat(count(schema, "status = 'READY' and version = 1 and attempts = 1")).isEqualTo(5);
    assertThat(count(schema, "status = 'FAILED' and version = 1 and attempts = 2")).isEqualTo(5);
    assertThat(count(schema, "status = 'EXECUTING' and version = 0")).isEqualTo(10);
  }

  private static HikariDataSource pool(TestSchema schema, String initially) {
    HikariDataSource pool = new HikariDataSource();
    pool.setJdbcUrl(schema.url());
    pool.setUsername(schema.user());
    pool.setPassword(schema.password());
    pool.setConnectionInitSql(initially);
    return pool;
  }

  private static long count(TestSchema schema, String condition) {
    return schema.count("select count(*) from tasks where " + condition);
  }
}
