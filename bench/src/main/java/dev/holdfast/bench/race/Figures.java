package dev.holdfast.bench.race;

import dev.holdfast.bench.Turns;
import dev.holdfast.race.RaceReport;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;

/** What several explorations of one program took. */
final class Figures {
  private final List<RaceReport> reports = new ArrayList<>();

  void add(RaceReport report) {
    reports.add(report);
  }

  /** Whether each of them has found something. */
  boolean found() {
    return reports.stream().allMatch(RaceReport::hasFinding);
  }

  boolean alarm() {
    return reports.stream().anyMatch(RaceReport::hasFinding);
  }

  boolean exhausted() {
    return reports.stream().allMatch(RaceReport::isExhaustive);
  }

  /** Until the first finding, without the serial orders that are made before. */
  double millisToFind() {
    return median(report -> report.timeToFinding().map(Duration::toMillis).orElse(0L));
  }

  /** Of everything: the setup, the serial orders, the shrinking, the levels above. */
  double millis() {
    return median(report -> report.duration().toMillis());
  }

  double runs() {
    return median(RaceReport::runs);
  }

  double runsPerSecond() {
    return median(report -> report.runs() * 1e3 / Math.max(1, report.duration().toMillis()));
  }

  private double median(ToDoubleFunction<RaceReport> figure) {
    return Turns.median(reports.stream().map(figure::applyAsDouble).toList());
  }
}
