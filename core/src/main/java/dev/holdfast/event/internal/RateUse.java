package dev.holdfast.event.internal;

import dev.holdfast.event.Limit;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * How much of a rate is used, while the row of its limit is locked. Each event uses an even part of
 * the period; a rate is used up while that reaches a whole period ahead of the database's clock. So
 * after a quiet time a period's amount is there at once, and from then on it comes back evenly. For
 * one thread.
 */
final class RateUse {
  private final LimitSql sql;
  private final Connection connection;
  private final Limit limit;
  private final int amount;
  private final long periodMicros;
  private final Instant now;
  private long usedMicros;

  private RateUse(
      LimitSql sql, Connection connection, Limit limit, Limit.Rate rate, Instant now, long used) {
    this.sql = sql;
    this.connection = connection;
    this.limit = limit;
    this.amount = rate.amount();
    this.periodMicros = TimeUnit.MICROSECONDS.convert(rate.period());
    this.now = now;
    this.usedMicros = Math.max(0, used);
  }

  /** Of the one of the limits that has a rate; null where none has. */
  static @Nullable RateUse of(Collection<LockedLimit> limits, LimitSql sql, Connection connection)
      throws SQLException {
    for (LockedLimit locked : limits) {
      Limit.Rate rate = locked.limit().rate();
      if (rate != null) {
        Instant now = sql.now(connection);
        long used = locked.nextAt() == null ? 0 : ChronoUnit.MICROS.between(now, locked.nextAt());
        return new RateUse(sql, connection, locked.limit(), rate, now, used);
      }
    }
    return null;
  }

  /** How many the rate leaves now. */
  int left() {
    double left = Math.floor((double) (periodMicros - usedMicros) * amount / periodMicros);
    return (int) Math.max(0, left);
  }

  /** Uses it for so many. */
  void use(int events) throws SQLException {
    if (events > 0) {
      usedMicros += (long) Math.ceil((double) periodMicros * events / amount);
      sql.use(connection, limit, now.plus(usedMicros, ChronoUnit.MICROS));
    }
  }

  /** How long it is until it leaves one; empty where it does. */
  Optional<Duration> untilOne() {
    long one = (periodMicros + amount - 1) / amount;
    long until = usedMicros - periodMicros + one;
    return until <= 0 ? Optional.empty() : Optional.of(Duration.of(until, ChronoUnit.MICROS));
  }
}
