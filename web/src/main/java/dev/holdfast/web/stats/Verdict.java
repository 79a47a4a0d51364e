package dev.holdfast.web.stats;

import dev.holdfast.web.queue.QueueView;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * How things are, in one line that a person understands.
 *
 * @param level {@code ok}, {@code warning} or {@code critical}
 */
record Verdict(String level, String text) {
  private static final Duration ON_TIME = Duration.ofMinutes(1);
  private static final Duration VERY_LATE = Duration.ofMinutes(10);

  static Verdict of(List<QueueView> queues, long alive, long failed, Duration window) {
    Optional<QueueView> late =
        queues.stream()
            .filter(queue -> queue.oldestDueAge().compareTo(ON_TIME) > 0)
            .max(Comparator.comparing(QueueView::oldestDueAge));
    if (late.isPresent()) {
      return late(late.get(), alive);
    }
    if (failed > 0) {
      return new Verdict(
          "warning", events(failed) + " failed in the last " + Words.duration(window));
    }
    if (alive == 0) {
      return new Verdict("warning", "No instance is alive: nothing is handled");
    }
    return new Verdict("ok", "All events are on time");
  }

  private static Verdict late(QueueView queue, long alive) {
    boolean critical =
        !queue.paused() && (alive == 0 || queue.oldestDueAge().compareTo(VERY_LATE) > 0);
    String text =
        "%s %s overdue, the oldest by %s: %s"
            .formatted(
                events(queue.due()),
                queue.due() == 1 ? "is" : "are",
                Words.duration(queue.oldestDueAge()),
                why(queue, alive));
    return new Verdict(critical ? "critical" : "warning", text);
  }

  private static String why(QueueView queue, long alive) {
    if (queue.paused()) {
      return "the queue " + queue.name() + " is paused";
    }
    if (alive == 0) {
      return "no instance is alive";
    }
    if (queue.processing() == 0 && queue.limits() == null && queue.keyLimits() == null) {
      return "no instance takes them from the queue " + queue.name();
    }
    return queue.limits() != null || queue.keyLimits() != null
        ? "the limits of the queue " + queue.name() + " hold them up"
        : "the instances do not keep up with the queue " + queue.name();
  }

  private static String events(long count) {
    return count == 1 ? "1 event" : count + " events";
  }
}
