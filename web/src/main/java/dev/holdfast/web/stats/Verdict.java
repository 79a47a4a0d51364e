package dev.holdfast.web.stats;

import dev.holdfast.web.queue.QueueView;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * How things are, in words that a person understands: the worst problem, and all of them.
 *
 * @param level {@code ok}, {@code warning} or {@code critical}: that of the worst problem
 * @param text the worst problem, or that there is none
 * @param problems every problem, the worst first; null where there is none
 */
record Verdict(String level, String text, @Nullable List<Problem> problems) {
  private static final Duration ON_TIME = Duration.ofMinutes(1);
  private static final Duration VERY_LATE = Duration.ofMinutes(10);
  private static final int MAX = 20;

  /**
   * One of the problems.
   *
   * @param level {@code warning} or {@code critical}
   */
  record Problem(String level, String text) {}

  private enum Level {
    CRITICAL,
    WARNING
  }

  private record Found(Level level, Duration late, String text) {}

  /**
   * The verdict about what is known.
   *
   * @param alive how many instances are
   * @param failed how many events failed within the window
   * @param unhandled the types of due events of a queue for which no instance has a handler
   */
  static Verdict of(
      List<QueueView> queues,
      long alive,
      long failed,
      Duration window,
      Function<String, List<String>> unhandled) {
    List<Found> found = new ArrayList<>();
    long due = queues.stream().mapToLong(QueueView::due).sum();
    if (alive == 0) {
      String text = "No instance is alive: nothing is processed";
      found.add(new Found(due > 0 ? Level.CRITICAL : Level.WARNING, VERY_LATE, text));
    }
    for (QueueView queue : queues) {
      if (queue.paused() && queue.due() > 0) {
        found.add(new Found(Level.WARNING, queue.oldestDueAge(), paused(queue)));
      } else if (queue.oldestDueAge().compareTo(ON_TIME) > 0) {
        Level level =
            queue.oldestDueAge().compareTo(VERY_LATE) > 0 ? Level.CRITICAL : Level.WARNING;
        found.add(new Found(level, queue.oldestDueAge(), late(queue, alive, unhandled)));
      }
    }
    if (failed > 0) {
      String text = events(failed) + " failed in the last " + Words.duration(window);
      found.add(new Found(Level.WARNING, Duration.ZERO, text));
    }
    if (found.isEmpty()) {
      return new Verdict("ok", "All events are on time", null);
    }
    found.sort(
        Comparator.comparing(Found::level)
            .thenComparing(Comparator.comparing(Found::late).reversed()));
    List<Problem> problems =
        found.stream().limit(MAX).map(one -> new Problem(name(one.level), one.text)).toList();
    return new Verdict(problems.get(0).level, problems.get(0).text, problems);
  }

  private static String paused(QueueView queue) {
    return "%s %s due, but the queue %s is paused"
        .formatted(events(queue.due()), are(queue.due()), queue.name());
  }

  private static String late(
      QueueView queue, long alive, Function<String, List<String>> unhandled) {
    return "%s of the queue %s %s overdue, the oldest by %s: %s"
        .formatted(
            events(queue.due()),
            queue.name(),
            are(queue.due()),
            Words.duration(queue.oldestDueAge()),
            why(queue, alive, unhandled));
  }

  private static String why(QueueView queue, long alive, Function<String, List<String>> unhandled) {
    if (alive == 0) {
      return "no instance is alive";
    }
    List<String> types = unhandled.apply(queue.name());
    if (!types.isEmpty()) {
      return "no instance has a handler for the type " + String.join(", ", types);
    }
    if (queue.limits() != null || queue.keyLimits() != null) {
      return "the limits of the queue hold them up";
    }
    return queue.processing() == 0
        ? "none of them is being processed"
        : "the instances do not keep up";
  }

  private static String events(long count) {
    return count == 1 ? "1 event" : count + " events";
  }

  private static String are(long count) {
    return count == 1 ? "is" : "are";
  }

  private static String name(Level level) {
    return level.name().toLowerCase(Locale.ROOT);
  }
}
