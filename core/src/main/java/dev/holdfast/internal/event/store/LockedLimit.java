package dev.holdfast.internal.event.store;

import dev.holdfast.event.QueueLimit;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A limit while its row is locked.
 *
 * @param nextAt how far its rate is used, see {@link RateBudget}; null where it never was
 * @param atMost no more are claimed than this; null where that is not known
 * @param countedAt when they were counted
 * @param now the time of the database, from before the lock was waited for
 */
record LockedLimit(
    QueueLimit limit,
    @Nullable Instant nextAt,
    @Nullable Integer atMost,
    @Nullable Instant countedAt,
    Instant now) {
  /** An instance that does not know of the limit yet claims without saying so. */
  private static final Duration FRESH = Duration.ofSeconds(1);

  static final String COLUMNS = LimitStatements.COLUMNS + ", next_at, at_most, counted_at, {now}";

  static LockedLimit read(ResultSet row, EventStatements sql) throws SQLException {
    int atMost = row.getInt(7);
    Integer known = row.wasNull() ? null : atMost;
    return new LockedLimit(
        LimitStatements.limit(row),
        sql.times().get(row, 6),
        known,
        sql.times().get(row, 8),
        sql.time(row, 9));
  }

  /** Whether what is known to be claimed at most leaves so many. */
  boolean surelyLeaves(int concurrent, long wanted) {
    return atMost != null
        && countedAt != null
        && Duration.between(countedAt, now).compareTo(FRESH) < 0
        && concurrent - atMost >= wanted;
  }
}
