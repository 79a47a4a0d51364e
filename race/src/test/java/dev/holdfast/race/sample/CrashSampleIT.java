package dev.holdfast.race.sample;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.race.RaceReport;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every operation that cannot be run again after a crash is found, and no twin gives an alarm. */
final class CrashSampleIT {

  static List<CrashBug> bugs() {
    return Crashes.bugs();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("bugs")
  void theBugIsFound(CrashBug bug) {
    long start = System.nanoTime();
    RaceReport report = bug.exploreBroken();
    ReportLine.print("broken", bug, report, start);

    assertThat(report.hasFinding()).as(report.text()).isTrue();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("bugs")
  void itsTwinGivesNoAlarm(CrashBug bug) {
    long start = System.nanoTime();
    RaceReport report = bug.exploreFixed();
    ReportLine.print("fixed", bug, report, start);

    assertThat(report.hasFinding()).as(report.text()).isFalse();
  }
}
