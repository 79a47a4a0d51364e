package dev.holdfast.bench.events;

import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestSchema;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Hand-written SQL and the peers, one after the other, each in a schema of its own. */
final class PeersBench {
  private static final int ROUNDS = 3;

  /** In a full run each has this many times the events. */
  private static final int FULL = 10;

  /** The statistics that a server in use has, and no checkpoint in the middle. */
  private static final String[] SETTLE_POSTGRESQL = {"vacuum analyze", "checkpoint"};

  private static final String[] SETTLE_MARIADB = {};

  void run(boolean quick, PrintStream out) throws Exception {
    int factor = quick ? 1 : FULL;
    List<Figures> figures = new ArrayList<>();
    figures.add(postgreSql(SqlFloor::new, 200_000 * factor, out));
    figures.add(postgreSql(DbSchedulerContender::new, 30_000 * factor, out));
    figures.add(postgreSql(JobRunrContender::new, 5_000 * factor, out));
    figures.add(postgreSql(QuartzContender::new, 1_200 * factor, out));
    Figures mariaDb = mariaDb(100_000 * factor, out);
    Latencies atDefault = latencies(DbSchedulerLatency.DEFAULT_POLLING, 20 * factor, out);
    Latencies atFastest = latencies(DbSchedulerLatency.FASTEST_POLLING, 100 * factor, out);

    out.printf("%-18s %10s %12s %12s%n", "durable PostgreSQL", "events", "enqueued/s", "drained/s");
    figures.forEach(figure -> print(figure, out));
    out.printf("%-18s%n", "MariaDB");
    print(mariaDb, out);
    print("default", DbSchedulerLatency.DEFAULT_POLLING, atDefault, out);
    print("fastest", DbSchedulerLatency.FASTEST_POLLING, atFastest, out);
  }

  private static Figures postgreSql(Contender.Maker maker, int events, PrintStream out)
      throws Exception {
    return figures(TestDatabase.durablePostgreSql(), maker, events, SETTLE_POSTGRESQL, out);
  }

  private static Figures mariaDb(int events, PrintStream out) throws Exception {
    return figures(TestDatabase.mariaDb(), MariaDbSqlFloor::new, events, SETTLE_MARIADB, out);
  }

  private static Figures figures(
      TestDatabase database, Contender.Maker maker, int events, String[] settle, PrintStream out)
      throws Exception {
    try (TestSchema schema = database.newSchema();
        Contender contender = maker.on(schema)) {
      out.printf("  %s on %s: %d events%n", contender.name(), database.name(), events);
      return Figures.of(contender, events, ROUNDS, schema, settle);
    }
  }

  private static Latencies latencies(Duration polling, int samples, PrintStream out)
      throws InterruptedException {
    try (TestSchema schema = TestDatabase.durablePostgreSql().newSchema()) {
      out.printf("  db-scheduler idle, polling every %d ms%n", polling.toMillis());
      return DbSchedulerLatency.measure(schema, polling, samples);
    }
  }

  private static void print(Figures figures, PrintStream out) {
    out.printf(
        "%-18s %10d %12.0f %12.0f%n",
        figures.name(), figures.events(), figures.enqueued(), figures.drained());
  }

  private static void print(String what, Duration polling, Latencies latencies, PrintStream out) {
    out.printf(
        "db-scheduler idle latency at its %s polling (%d ms): p50 %d ms, p99 %d ms%n",
        what, polling.toMillis(), latencies.p50().toMillis(), latencies.p99().toMillis());
  }
}
