package dev.holdfast.race.sample;

import dev.holdfast.race.RaceReport;

/** One line about an exploration, for who reads the output of the tests. */
final class ReportLine {
  private static final long LIMIT_MILLIS = 10_000;

  private ReportLine() {}

  /** Returns how many milliseconds have passed since {@code startNanos}. */
  static long print(String form, Object name, RaceReport report, long startNanos) {
    long millis = (System.nanoTime() - startNanos) / 1_000_000;
    System.out.printf(
        "%-6s  %-80s  %6d ms  %5d runs  %s%s%s%n",
        form,
        name,
        millis,
        report.runs(),
        report.hasFinding()
            ? report.kind().orElseThrow() + ": " + report.anomaly().orElseThrow()
            : "nothing found",
        report.hasFinding() || report.isExhaustive() ? "" : ", not exhausted",
        millis > LIMIT_MILLIS ? "  (longer than 10 s)" : "");
    return millis;
  }
}
