package dev.holdfast.bench;

import dev.holdfast.bench.events.EventsBench;
import dev.holdfast.bench.idempotency.IdempotencyBench;
import dev.holdfast.bench.leases.LeasesBench;
import dev.holdfast.bench.race.RaceBench;
import dev.holdfast.bench.server.ServerBench;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The program behind {@code ./holdfast bench NAME [--quick]}: ends with 1 where an aim is missed.
 */
public final class Bench {
  private static final Map<String, Suite> SUITES =
      new TreeMap<>(
          Map.<String, Suite>of(
              "guards",
              new GuardsBench(),
              "events",
              EventsBench::run,
              "idempotency",
              IdempotencyBench::run,
              "leases",
              LeasesBench::run,
              "race",
              RaceBench::run,
              "server",
              ServerBench::run));

  private Bench() {}

  /** What one name measures. */
  interface Suite {
    void run(boolean quick, Results results) throws Exception;
  }

  public static void main(String... args) throws Exception {
    List<String> words = List.of(args);
    boolean quick = words.contains("--quick");
    List<String> names = words.stream().filter(word -> !word.equals("--quick")).toList();
    Suite suite = names.size() == 1 ? SUITES.get(names.get(0)) : null;
    if (suite == null) {
      System.err.println(
          "usage: ./holdfast bench NAME [--quick], where NAME is one of " + SUITES.keySet());
      System.exit(2);
      return;
    }
    System.out.println("machine: " + Machine.describe());
    Results results = new Results(System.out);
    suite.run(quick, results);
    if (!results.print()) {
      System.exit(1);
    }
  }
}
