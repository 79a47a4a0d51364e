package dev.holdfast.race.own;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.race.Crash;
import dev.holdfast.race.RaceReport;
import dev.holdfast.testing.TestDatabase;
import java.time.Duration;

/** Explores what crashes do to Holdfast as it is. */
final class CrashExploration {
  /** Far more than it takes: an exploration ends by itself, also on a machine that is busy. */
  private static final Duration LONG = Duration.ofMinutes(3);

  private CrashExploration() {}

  /** It survives, and every crash at every step was tried, in every order beside others. */
  static void everyCrash(TestDatabase database, Crash crash) {
    RaceReport report = explored(database, crash);
    assertThat(report.isExhaustive()).as(report.text()).isTrue();
  }

  /** It survives, and every crash was tried in all orders in which nobody is preempted. */
  static void everyCrashInTurn(TestDatabase database, Crash crash) {
    RaceReport report = explored(database, crash.maxPreemptions(0));
    assertThat(report.preemptionBound()).as(report.text()).hasValue(0);
  }

  private static RaceReport explored(TestDatabase database, Crash crash) {
    RaceReport report = crash.timeLimit(LONG).explore();
    System.out.printf(
        "%-10s  %5d runs  %s%n",
        database,
        report.runs(),
        report.isExhaustive()
            ? "all crash points are covered"
            : "all with up to " + report.preemptionBound().orElse(0) + " preemptions");
    assertThat(report.hasFinding()).as(report.text()).isFalse();
    return report;
  }
}
