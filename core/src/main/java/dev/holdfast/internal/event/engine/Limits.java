package dev.holdfast.internal.event.engine;

import dev.holdfast.event.QueueLimit;
import java.util.List;

/** What is limited for all instances, as it was when it was last read. Immutable. */
record Limits(List<QueueLimit> all) {
  static final Limits NONE = new Limits(List.of());

  static Limits of(List<QueueLimit> all) {
    return all.isEmpty() ? NONE : new Limits(all);
  }

  /** Those that a claim of these types from this queue has to keep. */
  List<QueueLimit> of(String queue, List<String> types) {
    return all.isEmpty()
        ? all
        : all.stream()
            .filter(
                limit ->
                    limit.target().kind() == QueueLimit.Kind.TYPE
                        ? types.contains(limit.target().name())
                        : limit.target().name().equals(queue))
            .toList();
  }
}
