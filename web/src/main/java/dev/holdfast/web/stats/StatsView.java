package dev.holdfast.web.stats;

import dev.holdfast.event.EventStats;
import dev.holdfast.web.queue.QueueView;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * All that is to be seen at a glance.
 *
 * @param at when it was put together; null while two are compared
 * @param latest the step that is not over, in the stream only
 * @param series not in the stream
 */
record StatsView(
    @Nullable Instant at,
    Duration window,
    Duration step,
    Verdict verdict,
    Counts counts,
    @Nullable Instant countedAt,
    Duration oldestDueAge,
    Lag lag,
    List<QueueView> queues,
    List<Failures> failures,
    @Nullable Point latest,
    @Nullable List<Point> series) {

  /** What is there now, and what was done within the window. */
  record Counts(
      long pending,
      long due,
      long processing,
      long completed,
      long failed,
      long cancelled,
      long retried) {}

  /** How late events were claimed within the window. */
  record Lag(Duration avg, Duration max) {}

  /** Failures of like errors. */
  record Failures(String error, int count, Instant lastAt, String example) {}

  /** What was done in one step. */
  record Point(
      Instant at,
      long completed,
      long failed,
      long retried,
      long cancelled,
      Duration lagAvg,
      Duration lagMax) {
    static Point of(EventStats.Point point) {
      return new Point(
          point.at(),
          point.completed(),
          point.failed(),
          point.retried(),
          point.cancelled(),
          point.lagAverage(),
          point.lagMax());
    }
  }

  /** As the stream tells it, and without the time so that two can be compared. */
  StatsView streamed() {
    List<Point> all = series == null ? List.of() : series;
    Point last = all.isEmpty() ? null : all.get(all.size() - 1);
    return new StatsView(
        null,
        window,
        step,
        verdict,
        counts,
        countedAt,
        oldestDueAge,
        lag,
        queues,
        failures,
        last,
        null);
  }

  StatsView at(Instant time) {
    return new StatsView(
        time,
        window,
        step,
        verdict,
        counts,
        countedAt,
        oldestDueAge,
        lag,
        queues,
        failures,
        latest,
        series);
  }
}
