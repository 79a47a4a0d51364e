package dev.holdfast.testing.event;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.Holdfast;
import dev.holdfast.event.EventId;
import dev.holdfast.event.EventStatus;
import dev.holdfast.event.EventType;
import dev.holdfast.event.Worker;
import dev.holdfast.testing.ConcurrentActors;
import dev.holdfast.testing.InterceptingDataSource;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestSchema;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.time.LocalDate;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * On PostgreSQL the history has a partition for each day, made ahead and dropped when it is old.
 */
class PostgreSqlHistoryPartitionsIT {
  private static final EventType<String> TEXT = EventType.of("text", String.class);
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final int KEPT_DAYS = 7;

  private final TestSchema schema = TestDatabase.postgreSql().newSchema();
  private final Holdfast holdfast = Holdfast.create(schema.dataSource());
  private final List<Worker> workers = new ArrayList<>();

  @BeforeEach
  void makeTables() {
    Holdfast.create(schema.dataSource()).migrations().migrate();
  }

  @AfterEach
  void drop() {
    workers.forEach(worker -> worker.stop(Duration.ofSeconds(10)));
    schema.close();
  }

  private Worker start(Holdfast on) {
    Worker worker =
        on.worker()
            .retention(Duration.ofDays(KEPT_DAYS))
            .pollInterval(Duration.ofMillis(20))
            .handle(TEXT, (payload, context) -> {})
            .start();
    synchronized (workers) {
      workers.add(worker);
    }
    return worker;
  }

  private static void await(String what, BooleanSupplier condition) {
    long end = System.nanoTime() + LIMIT.toNanos();
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).as(what).isLessThan(end);
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
    }
  }

  private EventId complete(Holdfast on) {
    EventId id = on.events().schedule(TEXT.event("a")).id();
    await(
        id + " must complete",
        () -> on.events().find(id).orElseThrow().status() == EventStatus.COMPLETED);
    return id;
  }

  private LocalDate today() {
    return LocalDate.parse(
        text("select to_char(statement_timestamp() at time zone 'UTC', 'YYYY-MM-DD') as t"));
  }

  private String text(String query) {
    return String.valueOf(schema.query(query).get(0).get("t"));
  }

  private static String table(LocalDate day) {
    return "holdfast_event_history_" + day.format(DateTimeFormatter.BASIC_ISO_DATE);
  }

  private List<String> partitions() {
    List<String> names = new ArrayList<>();
    for (Map<String, @Nullable Object> row :
        schema.query(
            "select inhrelid::regclass::text as t from pg_inherits where inhparent ="
                + " 'holdfast_event_history'::regclass order by 1")) {
      names.add(String.valueOf(row.get("t")));
    }
    return names;
  }

  private String placeOf(EventId id) {
    return text(
        "select tableoid::regclass::text as t from holdfast_event_history where id = " + id.id());
  }

  private void makeDay(LocalDate day) {
    schema.execute(
        "create table "
            + table(day)
            + " partition of holdfast_event_history for values from ('"
            + day
            + " 00:00:00+00') to ('"
            + day.plusDays(1)
            + " 00:00:00+00')");
  }

  /** An event that ended at noon of a day. */
  private void addEnded(long id, LocalDate day) {
    schema.execute(
        "insert into holdfast_event_history (shard, id, status, priority, version, attempts,"
            + " crashes, due_at, position_at, created_at, ended_at, queue, type) select 0, "
            + id
            + ", 2, 5, 2, 1, 0, t, t, t, t, 'default', 'text' from (select timestamptz '"
            + day
            + " 12:00:00+00' as t) times");
  }

  private long rows() {
    return schema.count("select count(*) from holdfast_event_history");
  }

  @Test
  void daysAreMadeAheadAndHaveWhatEnds() {
    LocalDate today = today();
    start(holdfast);
    EventId id = complete(holdfast);
    assumeThat(today()).isEqualTo(today);
    assertThat(partitions())
        .containsExactly(
            table(today),
            table(today.plusDays(1)),
            table(today.plusDays(2)),
            "holdfast_event_history_rest");
    assertThat(placeOf(id)).isEqualTo(table(today));
    addEnded(1_000_000, today.plusDays(2));
    assertThat(schema.count("select count(*) from " + table(today.plusDays(2)))).isEqualTo(1);
  }

  @Test
  void nothingIsClaimedBeforeItsDayIsMade() {
    LocalDate today = today();
    EventId id = holdfast.events().schedule(TEXT.event("a")).id();
    BooleanSupplier ended = () -> rows() == 1;
    start(
        Holdfast.create(
            InterceptingDataSource.of(
                schema.dataSource(),
                (connection, sql) -> {
                  if (sql.startsWith("CREATE TABLE")) {
                    // time enough for an event that does not wait for its day
                    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(1);
                    while (!ended.getAsBoolean() && System.nanoTime() - end < 0) {
                      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
                    }
                  }
                })));
    await(id + " must end", ended);
    assumeThat(today()).isEqualTo(today);
    assertThat(placeOf(id)).isEqualTo(table(today));
  }

  @Test
  void aDayHasTheIndexesOfTheHistory() {
    LocalDate today = today();
    start(holdfast);
    await("the days must be made", () -> partitions().size() == 4);
    assertThat(
            schema.count(
                "select count(*) from pg_inherits i join pg_index x on x.indexrelid = i.inhrelid"
                    + " where x.indrelid = '"
                    + table(today)
                    + "'::regclass"))
        .isEqualTo(2);
  }

  @Test
  void daysAreMadeOnceByManyInstances() {
    ConcurrentActors.run(6, index -> start(Holdfast.create(schema.dataSource(6)))).resultsOrThrow();
    await("the days must be made", () -> partitions().size() == 4);
    for (int i = 0; i < 20; i++) {
      assertThat(placeOf(complete(holdfast))).isNotEqualTo("holdfast_event_history_rest");
    }
    await(
        "all must be well", () -> workers.stream().allMatch(worker -> worker.health().isWorking()));
  }

  @Test
  void aNamedSchemaHasItsOwnDays() {
    String name = schema.name() + " named";
    try {
      Holdfast.builder(schema.dataSource())
          .schema("\"" + name + "\"")
          .build()
          .migrations()
          .migrate();
      Holdfast named = Holdfast.builder(schema.dataSource()).schema("\"" + name + "\"").build();
      start(named);
      complete(named);
      assertThat(
              schema.count(
                  "select count(*) from pg_class c join pg_namespace n on n.oid = c.relnamespace"
                      + " where relkind = 'r' and relname like 'holdfast_event_history_2%' and"
                      + " nspname = '"
                      + name
                      + "'"))
          .isEqualTo(3);
      assertThat(partitions()).hasSize(1);
    } finally {
      drop();
      TestSchema other = TestDatabase.postgreSql().newSchema();
      other.execute("drop schema \"" + name + "\" cascade");
      other.close();
    }
  }

  @Test
  void aDayIsDroppedWhenAllOfItIsOld() {
    LocalDate today = today();
    LocalDate old = today.minusDays(KEPT_DAYS + 1);
    LocalDate young = today.minusDays(KEPT_DAYS);
    makeDay(old);
    makeDay(young);
    addEnded(1, old);
    addEnded(2, young);
    addEnded(3, LocalDate.of(2020, 1, 1));
    start(holdfast);
    await("the old day must be dropped", () -> !partitions().contains(table(old)));
    await("what is old in the rest must be deleted", () -> rows() == 1);
    assumeThat(today()).isEqualTo(today);
    assertThat(partitions()).contains(table(young));
  }

  @Test
  void partitionsOfOtherNamesAreLeftAlone() {
    LocalDate old = LocalDate.of(2020, 1, 1);
    schema.execute(
        "create table holdfast_event_history_mine partition of holdfast_event_history for values"
            + " from ('2019-01-01 00:00:00+00') to ('2020-01-01 00:00:00+00')");
    makeDay(old);
    start(holdfast);
    await("the old day must be dropped", () -> !partitions().contains(table(old)));
    assertThat(partitions()).contains("holdfast_event_history_mine");
  }

  @Test
  void dayWithoutPartitionUsesDefault() {
    LocalDate today = today();
    addEnded(1_000_000, today);
    start(holdfast);
    EventId id = complete(holdfast);
    assumeThat(today()).isEqualTo(today);
    assertThat(partitions()).doesNotContain(table(today)).contains(table(today.plusDays(1)));
    assertThat(placeOf(id)).isEqualTo("holdfast_event_history_rest");
  }

  @Test
  void deletesRowsWithoutDdlRights() {
    LocalDate old = LocalDate.of(2020, 1, 2);
    makeDay(old);
    addEnded(1, old);
    addEnded(2, LocalDate.of(2020, 1, 1));
    String user = schema.name() + "_user";
    String all = " on all tables in schema " + schema.name() + " to " + user;
    schema.execute(
        "create role " + user + " login password 'secret'",
        "grant usage on schema " + schema.name() + " to " + user,
        "grant select, insert, update, delete" + all,
        "grant usage on all sequences in schema " + schema.name() + " to " + user);
    try (HikariDataSource pool = new HikariDataSource()) {
      pool.setJdbcUrl(schema.url());
      pool.setUsername(user);
      pool.setPassword("secret");
      Holdfast restricted = Holdfast.create(pool);
      Worker worker = start(restricted);
      await("what is old must be deleted", () -> rows() == 0);
      EventId id = complete(restricted);
      assertThat(placeOf(id)).isEqualTo("holdfast_event_history_rest");
      assertThat(worker.health().isWorking()).isTrue();
      assertThat(partitions()).containsExactly(table(old), "holdfast_event_history_rest");
      worker.stop(LIMIT);
    } finally {
      schema.execute("drop owned by " + user, "drop role " + user);
    }
  }

  @Test
  void longReaderBlocksPartitionCreationOnly() throws Exception {
    try (Connection reader = schema.unpooled().getConnection();
        Statement statement = reader.createStatement()) {
      reader.setAutoCommit(false);
      // what is attached must not have its rows in there
      statement.execute("select count(*) from holdfast_event_history_rest");
      Worker worker = start(holdfast);
      for (int i = 0; i < 20; i++) {
        assertThat(placeOf(complete(holdfast))).isEqualTo("holdfast_event_history_rest");
      }
      assertThat(worker.health().isWorking()).isTrue();
      reader.rollback();
    }
  }

  @Test
  void longReaderBlocksPartitionDropOnly() throws Exception {
    LocalDate old = LocalDate.of(2020, 1, 1);
    makeDay(old);
    addEnded(1, old);
    try (Connection reader = schema.unpooled().getConnection();
        Statement statement = reader.createStatement()) {
      reader.setAutoCommit(false);
      statement.execute("select count(*) from holdfast_event_history");
      // what is old in the rest is deleted after the days were tried
      addEnded(2, LocalDate.of(2020, 1, 2));
      Worker worker = start(holdfast);
      await("what is old in the rest must be deleted", () -> rows() == 1);
      for (int i = 0; i < 20; i++) {
        complete(holdfast);
      }
      assertThat(worker.health().isWorking()).isTrue();
      assertThat(partitions()).contains(table(old));
      reader.commit();
    }
    start(holdfast);
    await("the old day must be dropped", () -> !partitions().contains(table(old)));
  }
}
