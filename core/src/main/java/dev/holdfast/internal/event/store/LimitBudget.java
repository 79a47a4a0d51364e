package dev.holdfast.internal.event.store;

import dev.holdfast.event.QueueLimit;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What one claim may take under one limit of a queue or a type, and what it has taken.
 *
 * <p>To count what is claimed takes longer the more that is. So where the limit is far away, the
 * count is kept in the row, each claim adds its own to it, and for a moment nobody counts: what has
 * ended meanwhile is not taken away, so it never says too little. For one thread.
 */
final class LimitBudget {
  /**
   * With less than so many times of what is wanted, it is counted, and only what is begun claimed.
   */
  static final int PLENTY = 4;

  private final LockedLimit locked;
  private final @Nullable RateBudget rate;
  private @Nullable Integer atMost;
  private @Nullable Instant countedAt;

  LimitBudget(LockedLimit locked) {
    this.locked = locked;
    this.rate = locked.limit().rate().map(given -> new RateBudget(locked, given)).orElse(null);
  }

  /** Counts what is claimed under a limit. */
  interface Count {
    int now() throws SQLException;
  }

  QueueLimit limit() {
    return locked.limit();
  }

  /** How many more may be claimed at once. */
  int left(int wanted, int idle, Count count) throws SQLException {
    if (locked.limit().maxConcurrency().isEmpty()) {
      return wanted;
    }
    int concurrent = locked.limit().maxConcurrency().getAsInt();
    long plenty = (long) PLENTY * wanted;
    if (locked.surelyLeaves(concurrent, plenty)) {
      atMost = locked.atMost();
      countedAt = locked.countedAt();
      return wanted;
    }
    int claimed = count.now();
    int free = concurrent - claimed;
    if (free >= plenty) {
      atMost = claimed;
      countedAt = locked.now();
      return wanted;
    }
    // an instance must not keep from others what it cannot begin
    return Math.max(0, Math.min(free, idle));
  }

  int leftOfRate(int wanted) {
    return rate == null ? wanted : Math.min(wanted, rate.left());
  }

  /** Where the rate is used up, how long it is until it leaves one. */
  Optional<Duration> untilRate() {
    return rate == null ? Optional.empty() : rate.untilOne();
  }

  /** So many were claimed. */
  void claimed(int events, LimitStatements sql, Connection connection) throws SQLException {
    Integer sum = atMost == null ? null : Integer.valueOf(atMost + events);
    if (rate != null && events > 0) {
      long micros = rate.use(events);
      sql.save(connection, limit(), sum, countedAt, rate.nextAt(), micros);
    } else if (!Objects.equals(sum, locked.atMost())
        || !Objects.equals(countedAt, locked.countedAt())) {
      sql.save(connection, limit(), sum, countedAt);
    }
  }
}
