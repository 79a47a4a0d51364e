package dev.holdfast.internal.event.store;

import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import org.jspecify.annotations.Nullable;

/**
 * An event in the hands of an instance.
 *
 * @param version proves that it still is: every change raises it
 * @param attempts this one included
 * @param timeLeft until its deadline, at the claim and by the clock of the database
 * @param readNanos when the answer to the claim was read, as {@link System#nanoTime} says
 */
public record ClaimedEvent(
    int shard,
    String queue,
    long id,
    int version,
    int attempts,
    int crashes,
    int priority,
    Instant dueAt,
    Instant createdAt,
    @Nullable Instant uselessAt,
    @Nullable Duration timeLeft,
    long readNanos,
    String type,
    @Nullable String key,
    @Nullable String orderingKey,
    @Nullable String limitKey,
    @Nullable String tags,
    StoredPayload payload) {

  /** The order in which they are to be begun. */
  static final Comparator<ClaimedEvent> IN_ORDER =
      Comparator.comparingInt(ClaimedEvent::priority)
          .reversed()
          .thenComparing(ClaimedEvent::dueAt)
          .thenComparingLong(ClaimedEvent::id);

  /** Whether its deadline has passed by now; it may have waited in hands meanwhile. */
  public boolean useless() {
    return timeLeft != null
        && Duration.ofNanos(System.nanoTime() - readNanos).compareTo(timeLeft) >= 0;
  }
}
