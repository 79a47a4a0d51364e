package dev.holdfast.web.queue;

import dev.holdfast.Holdfast;
import dev.holdfast.event.EventStats;
import dev.holdfast.event.Limit;
import dev.holdfast.event.QueueDepth;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The queues that are known: those with events, and those that are paused or limited. */
public final class Queues {
  private final Holdfast holdfast;

  public Queues(Holdfast holdfast) {
    this.holdfast = holdfast;
  }

  /** All of them, as they were counted. */
  public List<QueueView> all(Optional<EventStats.Depth> depth) {
    Map<String, QueueDepth> depths = new HashMap<>();
    depth.ifPresent(counted -> counted.queues().forEach(one -> depths.put(one.queue(), one)));
    Set<String> paused = holdfast.events().pausedQueues();
    List<Limit> limits = holdfast.events().limits();
    Set<String> names = new TreeSet<>(depths.keySet());
    names.addAll(paused);
    limits.stream()
        .filter(limit -> limit.kind() != Limit.Kind.TYPE)
        .forEach(limit -> names.add(limit.name()));
    return names.stream()
        .map(name -> view(name, depths.get(name), paused.contains(name), limits))
        .toList();
  }

  private static QueueView view(
      String name, @Nullable QueueDepth depth, boolean paused, List<Limit> limits) {
    return new QueueView(
        name,
        paused,
        depth == null ? 0 : depth.pending(),
        depth == null ? 0 : depth.due(),
        depth == null ? 0 : depth.processing(),
        depth == null ? Duration.ZERO : depth.oldestDueAge(),
        QueueView.LimitsView.of(limit(limits, Limit.Kind.QUEUE, name)),
        QueueView.LimitsView.of(limit(limits, Limit.Kind.KEYS, name)));
  }

  /** One, also where nothing is known of it. */
  QueueView one(String name, Optional<EventStats.Depth> depth) {
    return all(depth).stream()
        .filter(queue -> queue.name().equals(name))
        .findFirst()
        .orElseGet(() -> view(name, null, false, List.of()));
  }

  static @Nullable Limit limit(List<Limit> limits, Limit.Kind kind, String name) {
    return limits.stream()
        .filter(limit -> limit.kind() == kind && limit.name().equals(name))
        .findFirst()
        .orElse(null);
  }

  /** The ETag of a queue: changes with its limits and when it is paused or resumed. */
  String tag(String name) {
    List<Limit> limits = holdfast.events().limits();
    return (holdfast.events().pausedQueues().contains(name) ? "p" : "")
        + "q"
        + text(limit(limits, Limit.Kind.QUEUE, name))
        + "k"
        + text(limit(limits, Limit.Kind.KEYS, name));
  }

  private static String text(@Nullable Limit limit) {
    if (limit == null) {
      return "";
    }
    Limit.Rate rate = limit.rate();
    return Objects.toString(limit.concurrent(), "")
        + (rate == null ? "" : "-" + rate.amount() + "-" + rate.period());
  }
}
