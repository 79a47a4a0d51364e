package dev.holdfast.bench.race;

import dev.holdfast.bench.Results;
import dev.holdfast.bench.Turns;
import dev.holdfast.race.ActorAction;
import dev.holdfast.race.Race;
import dev.holdfast.race.RaceReport;
import dev.holdfast.race.internal.explore.AllOrders.Seen;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestSchema;
import dev.holdfast.transaction.Isolation;
import java.io.PrintStream;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The race finder on eight bugs and their twins, on each database, at READ COMMITTED: how long it
 * takes to find them, how many runs it makes in a second; and how few of all orders it makes.
 */
public final class RaceBench {
  static final int CONNECTIONS = 8;

  private static final Isolation LEVEL = Isolation.READ_COMMITTED;

  private final PrintStream out;
  private final int rounds;
  private final Duration enough;
  private final long began = System.nanoTime();
  private final List<String> table = new ArrayList<>();
  private final List<String> orders = new ArrayList<>();
  private final Results results;

  private RaceBench(boolean quick, Results results) {
    this.rounds = quick ? 3 : 9;
    this.enough = Duration.ofSeconds(quick ? 3 : 15);
    this.results = results;
    this.out = results.out();
  }

  public static void run(boolean quick, Results results) throws Exception {
    Map<String, TestDatabase> databases = new LinkedHashMap<>();
    databases.put("PostgreSQL", TestDatabase.postgreSql());
    databases.put("MariaDB", TestDatabase.mariaDb());
    databases.put("H2", TestDatabase.h2());
    PrintStream out = results.out();
    RaceBench bench = new RaceBench(quick, results);
    for (Map.Entry<String, TestDatabase> database : databases.entrySet()) {
      bench.find(database.getKey(), database.getValue());
    }
    for (Map.Entry<String, TestDatabase> database : databases.entrySet()) {
      bench.hurry(database.getKey(), database.getValue());
    }
    for (Map.Entry<String, TestDatabase> database : databases.entrySet()) {
      bench.enumerate(database.getKey(), database.getValue());
    }
    out.printf(
        "%n%-24s %9s %9s %6s %7s %9s %6s %7s %10s%n",
        "", "found ms", "whole ms", "runs", "runs/s", "twin ms", "runs", "runs/s", "exhausted");
    bench.table.forEach(out::println);
    out.printf(
        "%n%-24s %11s %8s %9s %s%n", "", "all orders", "pruned", "outcomes", "outcomes pruned");
    bench.orders.forEach(out::println);
  }

  private void find(String database, TestDatabase server) {
    say("bugs and their twins on " + database);
    table.add(database);
    warmUp(server);
    List<Double> toFind = new ArrayList<>();
    List<Double> whole = new ArrayList<>();
    List<Double> passed = new ArrayList<>();
    int missed = 0;
    int alarms = 0;
    for (Program program : Programs.all()) {
      Figures bug = new Figures();
      Figures twin = new Figures();
      for (int round = 0; round < rounds; round++) {
        bug.add(explore(server, program, /* mended= */ false));
        twin.add(explore(server, program, /* mended= */ true));
      }
      missed += bug.found() ? 0 : 1;
      alarms += twin.alarm() ? 1 : 0;
      toFind.add(bug.millisToFind());
      whole.add(bug.millis());
      passed.add(twin.millis());
      table.add(row(program, bug, twin));
    }
    value(database, "missed", missed);
    value(database, "false-alarms", alarms);
    value(database, "ms-to-find", Turns.median(toFind));
    value(database, "ms-with-report", Turns.median(whole));
    value(database, "ms-of-twin", Turns.median(passed));
  }

  /** What the first explorations pay for the compiler of the JVM is not measured. */
  private static void warmUp(TestDatabase server) {
    for (Program program : Programs.all()) {
      explore(server, program, /* mended= */ true);
    }
  }

  private static String row(Program program, Figures bug, Figures twin) {
    return String.format(
        Locale.ROOT,
        "  %-22s %9s %9.0f %6.0f %7.0f %9.0f %6.0f %7.0f %10s",
        program.name(),
        bug.found() ? "%.0f".formatted(bug.millisToFind()) : "MISSED",
        bug.millis(),
        bug.runs(),
        bug.runsPerSecond(),
        twin.millis(),
        twin.runs(),
        twin.runsPerSecond(),
        twin.alarm() ? "ALARM" : twin.exhausted() ? "yes" : "no");
  }

  private static RaceReport explore(TestDatabase server, Program program, boolean mended) {
    try (TestSchema schema = server.newSchema()) {
      schema.execute(program.tables().toArray(String[]::new));
      if (mended) {
        schema.execute(program.mendedTables().toArray(String[]::new));
      }
      Race race =
          Race.create(schema.dataSource(CONNECTIONS))
              .name(program.name())
              .isolation(LEVEL)
              .given(program.rows().toArray(String[]::new));
      List<ActorAction> operations = mended ? program.mended() : program.broken();
      if (program.alike()) {
        race.actors(operations.size(), operations.get(0));
      } else {
        for (ActorAction operation : operations) {
          race.actor(Program.nameOf(operations.indexOf(operation)), operation);
        }
      }
      if (!program.invariant().isEmpty()) {
        race.invariant(program.name(), program.invariant());
      }
      return race.explore();
    }
  }

  private void enumerate(String database, TestDatabase server) throws SQLException {
    say("every order on " + database);
    orders.add(database);
    int all = 0;
    int pruned = 0;
    int lost = 0;
    for (Program program : Programs.enumerable()) {
      try (EveryOrder order = new EveryOrder(server, program)) {
        Seen every = order.seen(/* prune= */ false);
        Seen fewer = order.seen(/* prune= */ true);
        all += every.runs();
        pruned += fewer.runs();
        boolean same = every.outcomes().equals(fewer.outcomes());
        lost += same ? 0 : 1;
        orders.add(
            String.format(
                Locale.ROOT,
                "  %-22s %11d %8d %9d %s",
                program.name(),
                every.runs(),
                fewer.runs(),
                every.outcomes().size(),
                same ? "the same" : "DIFFERENT"));
      }
    }
    value(database, "programs-with-other-outcomes", lost);
    results.note(
        String.format(
            Locale.ROOT, "ratio race.%s.pruned %.2f", key(database), (double) pruned / all));
  }

  /** Of two actors and of three, each with four steps, in a long exploration. */
  private void hurry(String database, TestDatabase server) throws SQLException {
    say("runs per second on " + database);
    try (EveryOrder two = new EveryOrder(server, Programs.transfer());
        EveryOrder three = new EveryOrder(server, Programs.seats())) {
      value(database, "runs-per-second.2-actors-of-4-steps", two.runsPerSecond(enough));
      value(database, "runs-per-second.3-actors-of-4-steps", three.runsPerSecond(enough));
    }
  }

  private void value(String database, String name, double value) {
    results.note(String.format(Locale.ROOT, "value race.%s.%s %.0f", key(database), name, value));
  }

  private static String key(String database) {
    return database.toLowerCase(Locale.ROOT);
  }

  /** Long work shows how far it is. */
  private void say(String step) {
    out.printf("  %3d s: %s%n", (System.nanoTime() - began) / 1_000_000_000, step);
  }
}
