package dev.holdfast.web.queue;

import dev.holdfast.event.Limit;
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
  public record LimitsView(@Nullable Integer concurrent, @Nullable RateView rate) {
    static @Nullable LimitsView of(@Nullable Limit limit) {
      return limit == null ? null : new LimitsView(limit.concurrent(), RateView.of(limit.rate()));
    }
  }

  /** So many in each period. */
  public record RateView(int amount, Duration period) {
    static @Nullable RateView of(Limit.@Nullable Rate rate) {
      return rate == null ? null : new RateView(rate.amount(), rate.period());
    }
  }
}
