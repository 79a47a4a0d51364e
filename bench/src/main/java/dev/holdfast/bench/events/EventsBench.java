package dev.holdfast.bench.events;

import dev.holdfast.Holdfast;
import dev.holdfast.bench.Results;
import dev.holdfast.bench.Turns;
import dev.holdfast.event.QueueLimit;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestSchema;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Events: Holdfast by its defaults, hand-written SQL, and the peers in their best modes, on a
 * durable PostgreSQL; and what a backlog, a history, an open snapshot and idleness do to Holdfast.
 */
public final class EventsBench {
  private static final int PEER_ROUNDS = 2;

  private final PrintStream out;
  private final boolean quick;
  private final long began = System.nanoTime();
  private final List<String> table = new ArrayList<>();
  private final Results results;

  private EventsBench(boolean quick, Results results) {
    this.quick = quick;
    this.results = results;
    this.out = results.out();
  }

  public static void run(boolean quick, Results results) throws Exception {
    PrintStream out = results.out();
    EventsBench bench = new EventsBench(quick, results);
    bench.againstPeers();
    bench.behindAnOpenSnapshot();
    bench.withABacklog();
    bench.withAHistory();
    bench.underALimit();
    bench.idle();
    bench.onMariaDb();
    out.printf("%n%-18s %10s %12s %12s%n", "", "events", "enqueued/s", "handled/s");
    bench.table.forEach(out::println);
  }

  private void againstPeers() throws Exception {
    say("Holdfast and hand-written SQL, in turns");
    try (TestSchema schema = durable();
        TestSchema other = durable();
        Contender holdfast = new HoldfastContender(schema);
        Contender sql = SqlFloor.best(other)) {
      Figures ours = new Figures(holdfast, schema, Figures.SETTLE_POSTGRESQL);
      Figures floor = new Figures(sql, other, Figures.SETTLE_POSTGRESQL);
      int events = quick ? 100_000 : 500_000;
      Turns turns =
          Turns.of(3, quick ? 5 : 15, () -> ours.round(events), () -> floor.round(events));
      results.atLeast("events.throughput.vs-sql", 0.90, turns);
      againstDbScheduler(ours, events, floor);
      Figures jobRunr = peer(JobRunrContender::new, quick ? 2_000 : 50_000);
      results.atLeast("events.enqueue.vs-jobrunr", 4, ours.enqueued() / jobRunr.enqueued());
      results.note(
          String.format(
              Locale.ROOT,
              "ratio events.enqueue.vs-sql %.2f (medians of different rounds)",
              ours.enqueued() / floor.enqueued()));
    }
    peer(QuartzContender::new, quick ? 400 : 5_000);
  }

  private void againstDbScheduler(Figures ours, int events, Figures floor) throws Exception {
    try (TestSchema schema = durable();
        Contender contender = new DbSchedulerContender(schema)) {
      say(contender.name() + " and Holdfast, in turns");
      Figures theirs = new Figures(contender, schema, Figures.SETTLE_POSTGRESQL);
      int fewer = quick ? 30_000 : 200_000;
      Turns turns = Turns.of(1, quick ? 3 : 9, () -> ours.round(events), () -> theirs.round(fewer));
      results.atLeast("events.throughput.vs-db-scheduler", 8, turns);
      results.note(
          String.format(
              Locale.ROOT,
              "ratio events.enqueue.vs-db-scheduler %.2f (medians of different rounds)",
              ours.enqueued() / theirs.enqueued()));
      table.add("durable PostgreSQL");
      table.add(ours.row());
      table.add(floor.row());
      table.add(theirs.row());
    }
  }

  private Figures peer(Contender.Maker maker, int events) throws Exception {
    try (TestSchema schema = durable();
        Contender contender = maker.on(schema)) {
      say(contender.name());
      Figures figures = new Figures(contender, schema, Figures.SETTLE_POSTGRESQL);
      for (int round = 0; round < 1 + PEER_ROUNDS; round++) {
        figures.round(events);
      }
      table.add(figures.row());
      return figures;
    }
  }

  private void behindAnOpenSnapshot() throws Exception {
    say("behind an open snapshot, and without, in turns");
    try (TestSchema schema = durable();
        Contender holdfast = new HoldfastContender(schema)) {
      Figures figures = new Figures(holdfast, schema, Figures.SETTLE_POSTGRESQL);
      int events = quick ? 50_000 : 500_000;
      Turns turns =
          Turns.of(
              1,
              quick ? 3 : 9,
              () -> OpenSnapshot.during(schema, () -> figures.round(events)),
              () -> figures.round(events));
      results.atLeast("events.open-snapshot", 0.85, turns);
    }
  }

  private void withABacklog() throws Exception {
    int many = quick ? 1_000_000 : 5_000_000;
    say("claims of 100 with a backlog of " + many + " due events, and of 10000, in turns");
    try (TestSchema schema = durable();
        TestSchema other = durable();
        Backlog large = new Backlog(schema, many);
        Backlog small = new Backlog(other, 10_000)) {
      for (int round = 0; round < 90; round++) {
        large.claim();
        small.claim();
      }
      results.note(
          "value events.claim-of-100-p50-ms %.2f (backlog of %d), %.2f (of 10000)"
              .formatted(large.p50(), many, small.p50()));
      results.atMost("events.claim-flat", 1.5, large.p50() / small.p50());
    }
  }

  private void withAHistory() throws Exception {
    int ended = quick ? 1_000_000 : 5_000_000;
    say("with " + ended + " ended events in history, and without, in turns");
    try (TestSchema schema = durable();
        TestSchema other = durable();
        Contender holdfast = new HoldfastContender(schema);
        Contender without = new HoldfastContender(other)) {
      fillHistory(schema, ended);
      Figures withHistory = new Figures(holdfast, schema, Figures.SETTLE_POSTGRESQL);
      Figures withNone = new Figures(without, other, Figures.SETTLE_POSTGRESQL);
      int events = quick ? 80_000 : 500_000;
      Turns turns =
          Turns.of(
              1,
              quick ? 3 : 9,
              () -> withHistory.round(events),
              () -> {
                other.execute("truncate holdfast_event_history");
                return withNone.round(events);
              });
      results.atLeast("events.history-flat", 0.9, turns);
    }
  }

  /** A limit that never binds, which every claim has to look at. In the full run only. */
  private void underALimit() throws Exception {
    if (quick) {
      return;
    }
    say("under a limit that does not bind, and without, in turns");
    try (TestSchema schema = durable();
        TestSchema other = durable();
        Contender holdfast = new HoldfastContender(schema);
        Contender without = new HoldfastContender(other)) {
      Holdfast.create(schema.dataSource(2))
          .queues()
          .setLimit(QueueLimit.queue("default").maxConcurrency(100_000));
      Figures limited = new Figures(holdfast, schema, Figures.SETTLE_POSTGRESQL);
      Figures free = new Figures(without, other, Figures.SETTLE_POSTGRESQL);
      results.atLeast(
          "events.limit",
          0.95,
          Turns.of(2, 15, () -> limited.round(200_000), () -> free.round(200_000)));
    }
  }

  /** Ended within the last hours, where the next ones go, too. */
  private static void fillHistory(TestSchema schema, int events) {
    schema.execute(
        """
        insert into holdfast_event_history (shard, id, status, priority, version, attempts, crashes,
          due_at, position_at, created_at, claimed_at, ended_at, owner, queue, type, payload)
        select 0, nextval('holdfast_event_id'), 2, 5, 2, 1, 0, at, at, at, at, at, 1, 'default',
          'noop', '{"n":1}'
        from generate_series(1, %d) n,
          lateral (select statement_timestamp() - (%d - n) * interval '1 ms' as at) d
        """
            .formatted(events, events));
  }

  private void idle() throws Exception {
    say("idle");
    try (TestSchema schema = durable();
        IdleInstance idle = new IdleInstance(schema)) {
      Latencies latencies = idle.latencies(quick ? 200 : 2_000);
      results.atMost("events.idle-latency-p50-ms", 10, millis(latencies.p50()));
      results.note("value events.idle-latency-p99-ms %.1f".formatted(millis(latencies.p99())));
      results.atMost(
          "events.idle-statements-per-second",
          2,
          idle.statementsPerSecond(Duration.ofSeconds(quick ? 10 : 60)));
    }
    dbSchedulerIdle("default", DbSchedulerLatency.DEFAULT_POLLING, quick ? 7 : 100);
    dbSchedulerIdle("fastest", DbSchedulerLatency.FASTEST_POLLING, quick ? 100 : 1_000);
  }

  private void dbSchedulerIdle(String what, Duration polling, int samples) throws Exception {
    say("db-scheduler idle, polling every " + polling.toMillis() + " ms");
    try (TestSchema schema = durable()) {
      Latencies latencies = DbSchedulerLatency.measure(schema, polling, samples);
      results.note(
          "value events.idle-latency.db-scheduler-%s p50 %.0f ms, p99 %.0f ms"
              .formatted(what, millis(latencies.p50()), millis(latencies.p99())));
    }
  }

  private void onMariaDb() throws Exception {
    say("Holdfast and hand-written SQL on MariaDB, in turns");
    try (TestSchema schema = TestDatabase.mariaDb().newSchema();
        TestSchema other = TestDatabase.mariaDb().newSchema();
        Contender holdfast = new HoldfastContender(schema);
        Contender sql = new MariaDbSqlFloor(other)) {
      Figures ours = new Figures(holdfast, schema, Figures.SETTLE_MARIADB);
      Figures floor = new Figures(sql, other, Figures.SETTLE_MARIADB);
      int events = quick ? 40_000 : 300_000;
      Turns turns = Turns.of(1, quick ? 3 : 9, () -> ours.round(events), () -> floor.round(events));
      table.add("MariaDB");
      table.add(ours.row());
      table.add(floor.row());
      results.atLeast("events.mariadb.vs-sql", 0.5, turns);
    }
  }

  private static TestSchema durable() {
    return TestDatabase.durablePostgreSql().newSchema();
  }

  private static double millis(Duration duration) {
    return duration.toNanos() / 1e6;
  }

  /** Long work shows how far it is. */
  private void say(String step) {
    out.printf("  %3d s: %s%n", (System.nanoTime() - began) / 1_000_000_000, step);
  }
}
