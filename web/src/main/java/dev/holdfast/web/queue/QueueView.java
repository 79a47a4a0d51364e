package dev.holdfast.web.queue;

import dev.holdfast.event.QueueLimit;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A queue as the API shows it. */
public record QueueView(
    String name,
    boolean paused,
    long pending,
    long due,
    long processing,
    Duration oldestDueAge,
    @Nullable LimitsView limits,
    @Nullable LimitsView keyLimits) {

  /** How much may be done at once, and how often. */
  public record LimitsView(@Nullable Integer maxConcurrency, @Nullable RateLimitView rateLimit) {
    static @Nullable LimitsView of(@Nullable QueueLimit limit) {
      return limit == null
          ? null
          : new LimitsView(
              limit.maxConcurrency().isPresent() ? limit.maxConcurrency().getAsInt() : null,
              RateLimitView.of(limit.rate().orElse(null)));
    }
  }

  /** So many in each period. */
  public record RateLimitView(int count, Duration period) {
    static @Nullable RateLimitView of(QueueLimit.@Nullable Rate rate) {
      return rate == null ? null : new RateLimitView(rate.count(), rate.period());
    }
  }
}
