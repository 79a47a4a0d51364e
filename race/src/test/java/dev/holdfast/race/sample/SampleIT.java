package dev.holdfast.race.sample;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.race.RaceReport;
import dev.holdfast.race.sample.Bug.Server;
import dev.holdfast.testing.TestSchema;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every bug of the sample is found, with an invariant and without one, and none of their twins
 * gives an alarm. A line for each says how long it took.
 */
final class SampleIT {

  /** A bug on a server, judged in one of the two ways. */
  record Case(Bug bug, Server server, boolean withInvariant) {
    @Override
    public String toString() {
      return bug + ", " + server + (withInvariant ? ", invariant" : ", serial orders");
    }
  }

  /** Part of a name, to run only some: {@code -Dsample=#39}. */
  private static final String ONLY = System.getProperty("sample", "");

  private static final List<Long> MILLIS_TO_FIND = new ArrayList<>();

  static Stream<Case> cases() {
    return Stream.of(
            Coupons.bugs(),
            Stock.bugs(),
            Keys.bugs(),
            Invoices.bugs(),
            FindOrCreate.bugs(),
            Bookings.bugs(),
            Accounts.bugs(),
            Teams.bugs(),
            Edits.bugs(),
            Queues.bugs(),
            Workers.bugs(),
            Deadlocks.bugs(),
            Refusals.bugs())
        .flatMap(List::stream)
        .filter(bug -> bug.toString().contains(ONLY))
        .flatMap(bug -> bug.servers().stream().flatMap(server -> casesOf(bug, server)));
  }

  private static Stream<Case> casesOf(Bug bug, Server server) {
    return bug.serial()
        ? Stream.of(new Case(bug, server, false), new Case(bug, server, true))
        : Stream.of(new Case(bug, server, true));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("cases")
  void theBugIsFound(Case one) {
    try (TestSchema schema = one.server().newSchema()) {
      long start = System.nanoTime();
      RaceReport report = one.bug().exploreBroken(schema, one.withInvariant());
      MILLIS_TO_FIND.add(ReportLine.print("broken", one, report, start));

      assertThat(report.kind()).as(report.text()).contains(one.bug().kind(one.withInvariant()));
    }
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("cases")
  void itsTwinGivesNoAlarm(Case one) {
    try (TestSchema schema = one.server().newSchema()) {
      long start = System.nanoTime();
      RaceReport report = one.bug().exploreFixed(schema, one.withInvariant());
      ReportLine.print("fixed", one, report, start);

      assertThat(report.hasFinding()).as(report.text()).isFalse();
    }
  }

  @AfterAll
  static void printMedian() {
    List<Long> sorted = MILLIS_TO_FIND.stream().sorted().toList();
    if (!sorted.isEmpty()) {
      System.out.printf(
          "%d bugs: median %d ms, longest %d ms%n",
          sorted.size(), sorted.get(sorted.size() / 2), sorted.get(sorted.size() - 1));
    }
  }
}
