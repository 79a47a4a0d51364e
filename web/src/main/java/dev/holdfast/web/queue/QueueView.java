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

  /** The limits of a queue or of each key. */
  public record LimitsView(@Nullable Integer maxConcurrency, @Nullable RateLimitView rateLimit) {
    static @Nullable LimitsView of(@Nullable QueueLimit limit) {
      return limit == null
          ? null
          : new LimitsView(
              limit.maxConcurrency().isPresent() ? limit.maxConcurrency().getAsInt() : null,
              RateLimitView.of(limit.rate().orElse(null)));
    }
  }

  /** A number of events per period. */
  public record RateLimitView(int count, Duration period) {
    static @Nullable RateLimitView of(QueueLimit.@Nullable Rate rate) {
      return rate == null ? null : new RateLimitView(rate.count(), rate.period());
    }
  }
}
