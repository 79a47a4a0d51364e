package dev.holdfast.event.internal;

import java.time.Instant;
import java.util.Comparator;
import org.jspecify.annotations.Nullable;

/**
 * An event in the hands of an instance.
 *
 * @param version proves that it still is: every change raises it
 * @param attempts this one included
 */
public record Claimed(
    int shard,
    String queue,
    long id,
    int version,
    int attempts,
    int crashes,
    int priority,
    Instant dueAt,
    @Nullable Instant uselessAt,
    boolean useless,
    String type,
    @Nullable String key,
    @Nullable String orderingKey,
    @Nullable String limitKey,
    @Nullable String tags,
    Payload payload) {

  /** The order in which they are to be begun. */
  static final Comparator<Claimed> IN_ORDER =
      Comparator.comparingInt(Claimed::priority)
          .reversed()
          .thenComparing(Claimed::dueAt)
          .thenComparingLong(Claimed::id);
}
