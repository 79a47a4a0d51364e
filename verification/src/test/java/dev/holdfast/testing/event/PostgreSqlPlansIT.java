package dev.holdfast.testing.event;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.event.EventHandler;
import dev.holdfast.event.EventType;
import dev.holdfast.event.Outcome;
import dev.holdfast.event.Worker;
import dev.holdfast.testing.InterceptingDataSource;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestSchema;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** PostgreSQL finds what a worker needs by the indexes, and reads no more than that. */
class PostgreSqlPlansIT {
  private static final EventType<String> TEXT = EventType.of("text", String.class);
  private static final int PRIORITIES = 10;
  private static final int MAX = 100;
  private static final Pattern REMOVED = Pattern.compile("Rows Removed by Filter: (\\d+)");
  private static final Pattern BUFFERS = Pattern.compile("Buffers: shared hit=(\\d+)");

  private final TestSchema schema = TestDatabase.postgreSql().newSchema();
  private final Queue<String> statements = new ConcurrentLinkedQueue<>();

  /** Lets a worker say its statements. */
  @BeforeEach
  void listen() {
    Holdfast.create(schema.dataSource()).migrations().migrate();
    Holdfast holdfast =
        Holdfast.create(
            InterceptingDataSource.of(
                schema.dataSource(), (connection, sql) -> statements.add(sql)));
    holdfast.events().schedule(TEXT.event("a"));
    Worker worker =
        holdfast
            .worker()
            .handle(
                EventHandler.returning(
                    TEXT,
                    (payload, context) ->
                        context.version() == 2
                            ? Outcome.snooze(Duration.ofMillis(1))
                            : Outcome.complete()))
            .start();
    Instant end = Instant.now().plusSeconds(60);
    while (schema.count("select count(*) from holdfast_event") > 0) {
      assertThat(Instant.now()).isBefore(end);
      LockSupport.parkNanos(1_000_000);
    }
    worker.close();
    // what is analyzed on the way would hide what must do without
    schema.execute("alter table holdfast_event set (autovacuum_enabled = false)");
  }

  @AfterEach
  void dropSchema() {
    schema.close();
  }

  private String statement(String beginning) {
    return statements.stream()
        .filter(sql -> sql.startsWith(beginning))
        .findFirst()
        .orElseThrow(() -> new AssertionError("no statement begins with " + beginning));
  }

  private void insert(int count, int priority, String due, String status, String orderingKey) {
    schema.execute(
        "insert into holdfast_event (shard, status, priority, version, attempts, crashes, due_at,"
            + " position_at, created_at, owner, cancel_requested, queue, type, ordering_key,"
            + " payload) select 0, "
            + status
            + ", "
            + priority
            + ", 1, 0, 0, d, d, now(), case when "
            + status
            + " = 1 then 1 end, false, 'default', 'text', "
            + orderingKey
            + ", 'x' from (select n, now() + "
            + due
            + " as d from generate_series(1, "
            + count
            + ") n) s");
  }

  private List<String> explain(String sql, Binding binding) throws SQLException {
    try (Connection connection = schema.dataSource().getConnection()) {
      connection.setAutoCommit(false);
      try (PreparedStatement explaining =
          connection.prepareStatement("EXPLAIN (ANALYZE, BUFFERS, COSTS OFF) " + sql)) {
        binding.bind(connection, explaining);
        List<String> plan = new ArrayList<>();
        try (ResultSet row = explaining.executeQuery()) {
          while (row.next()) {
            plan.add(row.getString(1));
          }
        }
        return plan;
      } finally {
        connection.rollback();
      }
    }
  }

  private interface Binding {
    void bind(Connection connection, PreparedStatement statement) throws SQLException;
  }

  private List<String> explainClaim() throws SQLException {
    schema.execute(
        "insert into holdfast_instance (id, name, started_at, expires_at, stopped) values (99, 'i',"
            + " now(), now() + interval '1 hour', false)");
    return explain(
        statement("WITH found AS"),
        (connection, claim) -> {
          int index = 1;
          for (int priority = 0; priority < PRIORITIES; priority++) {
            claim.setInt(index++, 0);
            claim.setString(index++, "default");
            claim.setObject(index++, Instant.EPOCH.atOffset(ZoneOffset.UTC));
            claim.setLong(index++, 0);
            claim.setArray(index++, connection.createArrayOf("varchar", new Object[] {"text"}));
          }
          claim.setLong(index++, 99);
          claim.setInt(index++, MAX);
          claim.setLong(index++, Long.MAX_VALUE);
          claim.setLong(index++, 99);
          claim.setInt(index, 0);
        });
  }

  private static long sum(Pattern pattern, List<String> plan) {
    return plan.stream()
        .map(pattern::matcher)
        .filter(Matcher::find)
        .mapToLong(matcher -> Long.parseLong(matcher.group(1)))
        .sum();
  }

  private static long buffersOfAll(List<String> plan) {
    return plan.stream()
        .map(BUFFERS::matcher)
        .filter(Matcher::find)
        .mapToLong(matcher -> Long.parseLong(matcher.group(1)))
        .findFirst()
        .orElse(0);
  }

  private static void assertReadsLittle(List<String> plan) {
    String text = String.join("\n", plan);
    assertThat(text).doesNotContain("Seq Scan on holdfast_event");
    assertThat(sum(REMOVED, plan)).as(text).isLessThan(MAX);
    assertThat(buffersOfAll(plan)).as(text).isLessThan(30L * MAX);
  }

  @Test
  void claimSkipsFutureEventsOfHigherPriority() throws Exception {
    insert(300_000, 9, "interval '1 day' + n * interval '1 second'", "0", "null");
    insert(50, 0, "n * interval '-1 second'", "0", "null");
    schema.execute("analyze holdfast_event");
    List<String> plan = explainClaim();
    assertReadsLittle(plan);
    assertThat(plan.stream().filter(line -> line.contains("using holdfast_event_due")))
        .as(String.join("\n", plan))
        .hasSize(PRIORITIES);
  }

  @Test
  void aClaimReadsAsManyDueEventsAsItTakes() throws Exception {
    insert(100_000, 5, "n * interval '-1 second'", "0", "null");
    schema.execute("analyze holdfast_event");
    assertReadsLittle(explainClaim());
  }

  @Test
  void skipsBusyOrderingKeys() throws Exception {
    insert(10_000, 5, "n * interval '1 millisecond' - interval '1 hour'", "0", "'one'");
    insert(10_000, 5, "n * interval '1 millisecond' - interval '1 minute'", "0", "'k' || n");
    schema.execute(
        "update holdfast_event set status = 1, owner = 1 where id = (select min(id) from"
            + " holdfast_event)",
        "analyze holdfast_event");
    List<String> plan = explainClaim();
    assertThat(buffersOfAll(plan)).as(String.join("\n", plan)).isLessThan(60_000);
  }

  @Test
  void completesAndRequeuesByIdOnEmptyStatistics() throws Exception {
    schema.execute("vacuum analyze holdfast_event");
    insert(20_000, 5, "n * interval '-1 second'", "1", "null");
    long first = schema.count("select min(id) from holdfast_event");
    long[] ids = LongStream.range(first, first + MAX).toArray();
    List<String> end =
        explain(
            statement("WITH gone AS"),
            (connection, ending) -> {
              ending.setInt(1, 0);
              ending.setObject(2, ids);
              ending.setInt(3, 1);
              ending.setInt(4, 2);
              ending.setString(5, null);
            });
    assertReadsLittle(end);
    assertThat(String.join("\n", end)).contains("holdfast_event_pkey");
    List<String> back =
        explain(
            statement("UPDATE holdfast_event SET status = 0").replace("::bigint[]", ""),
            (connection, putting) -> {
              putting.setInt(1, 0);
              putting.setInt(2, 0);
              putting.setLong(3, 1000);
              putting.setString(4, null);
              putting.setInt(5, 0);
              putting.setArray(
                  6, connection.createArrayOf("bigint", LongStream.of(ids).boxed().toArray()));
              putting.setInt(7, 1);
            });
    assertReadsLittle(back);
    assertThat(String.join("\n", back)).contains("holdfast_event_pkey");
  }
}
