package dev.holdfast.internal.schedule;

import dev.holdfast.internal.sql.Dialect;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import org.jspecify.annotations.Nullable;

/**
 * Instants as the columns keep them.
 *
 * @param inUtc whether columns have no zone, and hold UTC
 */
record ScheduleTimes(String selectNow, boolean inUtc) {
  static ScheduleTimes of(Dialect dialect) {
    // MySQL's own clock is in the zone of the session
    return dialect.family().equals("mysql")
        ? new ScheduleTimes("SELECT UTC_TIMESTAMP(6)", true)
        : new ScheduleTimes("SELECT " + dialect.now(), false);
  }

  Object bound(Instant time) {
    return inUtc ? LocalDateTime.ofInstant(time, ZoneOffset.UTC) : time.atOffset(ZoneOffset.UTC);
  }

  @Nullable Instant getOrNull(ResultSet row, int index) throws SQLException {
    if (inUtc) {
      LocalDateTime time = row.getObject(index, LocalDateTime.class);
      return time == null ? null : time.toInstant(ZoneOffset.UTC);
    }
    OffsetDateTime time = row.getObject(index, OffsetDateTime.class);
    return time == null ? null : time.toInstant();
  }

  Instant get(ResultSet row, int index) throws SQLException {
    Instant time = getOrNull(row, index);
    if (time == null) {
      throw new SQLException("a time that must be there is null, in column " + index);
    }
    return time;
  }
}
