package dev.holdfast.internal.event.engine;

import java.util.List;
import java.util.Map;
import java.util.Set;

/** What is paused for all instances, as it was when it was last read. Immutable. */
record Pauses(Set<String> queues, Set<String> types) {
  static final Pauses NONE = new Pauses(Set.of(), Set.of());

  static Pauses of(Map<String, Set<String>> byKind) {
    return new Pauses(
        byKind.getOrDefault("queue", Set.of()), byKind.getOrDefault("type", Set.of()));
  }

  /** Those of the types that may be claimed. */
  List<String> without(List<String> all) {
    return types.isEmpty() ? all : all.stream().filter(type -> !types.contains(type)).toList();
  }
}
