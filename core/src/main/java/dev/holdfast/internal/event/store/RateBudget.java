package dev.holdfast.internal.event.store;

import dev.holdfast.event.QueueLimit;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * How much of a rate is used, while the row of its limit is locked. Each event uses an even part of
 * the period; a rate is used up while that reaches a whole period ahead of the database's clock. So
 * after a quiet time a period's amount is there at once, and from then on it comes back evenly. For
 * one thread.
 */
final class RateBudget {
  private final int amount;
  private final long periodMicros;
  private final Instant now;
  private long usedMicros;

  RateBudget(LockedLimit locked, QueueLimit.Rate rate) {
    this.amount = rate.count();
    this.periodMicros = TimeUnit.MICROSECONDS.convert(rate.period());
    this.now = locked.now();
    long used =
        locked.nextAt() == null ? 0 : Math.max(0, ChronoUnit.MICROS.between(now, locked.nextAt()));
    // it cannot be so much, unless the database's clock went back or the rate was another one
    this.usedMicros = used > 2 * periodMicros ? 0 : used;
  }

  /** How many the rate leaves now. */
  int left() {
    double left = Math.floor((double) (periodMicros - usedMicros) * amount / periodMicros);
    return (int) Math.max(0, left);
  }

  /** Uses it for so many; answers for how long they use it. */
  long use(int events) {
    long micros = (long) Math.ceil((double) periodMicros * events / amount);
    usedMicros += micros;
    return micros;
  }

  /** Until when it is used, unless that was past. */
  Instant nextAt() {
    return now.plus(usedMicros, ChronoUnit.MICROS);
  }

  /** How long it is until it leaves one; empty where it does. */
  Optional<Duration> untilOne() {
    long one = (periodMicros + amount - 1) / amount;
    long until = usedMicros - periodMicros + one;
    return until <= 0 ? Optional.empty() : Optional.of(Duration.of(until, ChronoUnit.MICROS));
  }
}
