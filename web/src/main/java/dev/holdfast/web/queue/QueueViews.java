package dev.holdfast.web.queue;

import dev.holdfast.Holdfast;
import dev.holdfast.event.EventStats;
import dev.holdfast.event.QueueLimit;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Queues with events, and queues that are paused or limited. */
public final class QueueViews {
  private final Holdfast holdfast;

  public QueueViews(Holdfast holdfast) {
    this.holdfast = holdfast;
  }

  /** All queues with the last counts. */
  public List<QueueView> all(Optional<EventStats.Depths> depth) {
    Map<String, EventStats.QueueDepth> depths = new HashMap<>();
    depth.ifPresent(counted -> counted.queues().forEach(one -> depths.put(one.queue(), one)));
    Set<String> paused = holdfast.queues().paused();
    List<QueueLimit> limits = holdfast.queues().limits();
    Set<String> names = new TreeSet<>(depths.keySet());
    names.addAll(paused);
    limits.stream()
        .filter(limit -> limit.target().kind() != QueueLimit.Kind.TYPE)
        .forEach(limit -> names.add(limit.target().name()));
    return names.stream()
        .map(name -> view(name, depths.get(name), paused.contains(name), limits))
        .toList();
  }

  private static QueueView view(
      String name, EventStats.@Nullable QueueDepth depth, boolean paused, List<QueueLimit> limits) {
    return new QueueView(
        name,
        paused,
        depth == null ? 0 : depth.pending(),
        depth == null ? 0 : depth.due(),
        depth == null ? 0 : depth.processing(),
        depth == null ? Duration.ZERO : depth.oldestDueAge(),
        QueueView.LimitsView.of(limit(limits, QueueLimit.Kind.QUEUE, name)),
        QueueView.LimitsView.of(limit(limits, QueueLimit.Kind.KEY, name)));
  }

  /** A queue, also if it has no events. */
  QueueView one(String name, Optional<EventStats.Depths> depth) {
    return all(depth).stream()
        .filter(queue -> queue.name().equals(name))
        .findFirst()
        .orElseGet(() -> view(name, null, false, List.of()));
  }

  static @Nullable QueueLimit limit(List<QueueLimit> limits, QueueLimit.Kind kind, String name) {
    return limits.stream()
        .filter(limit -> limit.target().kind() == kind && limit.target().name().equals(name))
        .findFirst()
        .orElse(null);
  }

  /** The ETag of a queue: changes with its limits and when it is paused or resumed. */
  String tag(String name) {
    List<QueueLimit> limits = holdfast.queues().limits();
    return (holdfast.queues().paused().contains(name) ? "p" : "")
        + "q"
        + text(limit(limits, QueueLimit.Kind.QUEUE, name))
        + "k"
        + text(limit(limits, QueueLimit.Kind.KEY, name));
  }

  private static String text(@Nullable QueueLimit limit) {
    if (limit == null) {
      return "";
    }
    OptionalInt max = limit.maxConcurrency();
    return (max.isPresent() ? String.valueOf(max.getAsInt()) : "")
        + limit.rate().map(rate -> "-" + rate.count() + "-" + rate.period()).orElse("");
  }
}
