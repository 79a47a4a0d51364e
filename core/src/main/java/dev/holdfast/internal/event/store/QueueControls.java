package dev.holdfast.internal.event.store;

import dev.holdfast.event.QueueLimit;
import java.util.List;
import java.util.Set;

/**
 * What is paused and limited for all instances, as it was when it was read. Immutable.
 *
 * @param limits in the order in which they are locked
 */
public record QueueControls(
    Set<String> pausedQueues, Set<String> pausedTypes, List<QueueLimit> limits) {
  public static final QueueControls NONE = new QueueControls(Set.of(), Set.of(), List.of());

  public QueueControls {
    pausedQueues = Set.copyOf(pausedQueues);
    pausedTypes = Set.copyOf(pausedTypes);
    limits = List.copyOf(limits);
  }

  /** Those of the types that may be claimed. */
  public List<String> notPaused(List<String> types) {
    return pausedTypes.isEmpty()
        ? types
        : types.stream().filter(type -> !pausedTypes.contains(type)).toList();
  }

  /** The limits that apply to a claim of these types from this queue. */
  public List<QueueLimit> limitsOf(String queue, List<String> types) {
    return limits.isEmpty()
        ? limits
        : limits.stream()
            .filter(
                limit ->
                    limit.target().kind() == QueueLimit.Kind.TYPE
                        ? types.contains(limit.target().name())
                        : limit.target().name().equals(queue))
            .toList();
  }
}
