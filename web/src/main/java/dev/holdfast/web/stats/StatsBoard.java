package dev.holdfast.web.stats;

import dev.holdfast.Holdfast;
import dev.holdfast.event.EventStats;
import dev.holdfast.event.InstanceRecord;
import dev.holdfast.internal.Require;
import dev.holdfast.web.queue.QueueView;
import dev.holdfast.web.queue.QueueViews;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Puts together what is to be seen, and keeps it for a second: however many ask, the database is
 * asked once. Thread-safe.
 */
final class StatsBoard {
  static final Duration WINDOW = Duration.ofHours(1);

  private static final Duration MIN = Duration.ofMinutes(1);
  private static final Duration MAX = Duration.ofDays(7);
  private static final long KEPT_NANOS = Duration.ofSeconds(1).toNanos();
  private static final int MAX_KEPT = 8;
  private static final int MAX_STEPS = 120;
  private static final int MAX_FAILED = 1000;
  private static final int[] STEP_MINUTES = {1, 5, 15, 60, 120};

  private final Holdfast holdfast;
  private final QueueViews queues;
  private final DepthReader depths;

  /** The last ones by window, the least used first. */
  private final Map<Duration, Kept> kept = new LinkedHashMap<>(16, 0.75f, true);

  private record Kept(StatsView view, long sinceNanos) {}

  StatsBoard(Holdfast holdfast, QueueViews queues, DepthReader depths) {
    this.holdfast = holdfast;
    this.queues = queues;
    this.depths = depths;
  }

  /** What is to be seen of this time until now. */
  StatsView view(Duration window) {
    Require.between(window, MIN, MAX, "window");
    // one at a time, so that those who wait find what the first has read
    synchronized (kept) {
      Kept known = kept.get(window);
      if (known != null && System.nanoTime() - known.sinceNanos < KEPT_NANOS) {
        return known.view;
      }
      StatsView view = read(window);
      kept.put(window, new Kept(view, System.nanoTime()));
      if (kept.size() > MAX_KEPT) {
        kept.remove(kept.keySet().iterator().next());
      }
      return view;
    }
  }

  private StatsView read(Duration window) {
    Duration step = step(window);
    Optional<EventStats.Depths> depth = depths.get();
    List<QueueView> all = queues.all(depth);
    List<EventStats.Point> series = holdfast.stats().timeSeries(window, step);
    EventStats.Point sum =
        series.stream().reduce(EventStats.Point.empty(Instant.EPOCH), EventStats.Point::plus);
    long alive = holdfast.stats().instances().stream().filter(InstanceRecord::isAlive).count();
    return new StatsView(
        Instant.now(),
        window,
        step,
        Verdict.of(all, alive, sum.failed(), window, this::unhandled),
        counts(all, sum, holdfast.stats().cancelled(window)),
        depth.map(EventStats.Depths::countedAt).orElse(null),
        all.stream()
            .map(QueueView::oldestDueAge)
            .max(Comparator.naturalOrder())
            .orElse(Duration.ZERO),
        new StatsView.Lag(sum.lagAverage(), sum.lagMax()),
        all,
        ErrorGroups.of(holdfast.stats().recentFailures(window, MAX_FAILED)),
        null,
        series.stream().map(StatsView.Point::of).toList());
  }

  private List<String> unhandled(String queue) {
    return holdfast.stats().unhandled(queue).stream().map(EventStats.UnhandledType::type).toList();
  }

  private static StatsView.Counts counts(
      List<QueueView> all, EventStats.Point sum, long cancelled) {
    return new StatsView.Counts(
        all.stream().mapToLong(QueueView::pending).sum(),
        all.stream().mapToLong(QueueView::due).sum(),
        all.stream().mapToLong(QueueView::processing).sum(),
        sum.completed(),
        sum.failed(),
        // workers do not count what was cancelled before it began
        Math.max(sum.cancelled(), cancelled),
        sum.retried());
  }

  /** So that there are not too many for a picture. */
  static Duration step(Duration window) {
    for (int minutes : STEP_MINUTES) {
      if (window.toMinutes() <= (long) minutes * MAX_STEPS) {
        return Duration.ofMinutes(minutes);
      }
    }
    return Duration.ofMinutes(STEP_MINUTES[STEP_MINUTES.length - 1]);
  }
}
