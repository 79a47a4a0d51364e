package dev.holdfast.race.internal.database;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Waits until InnoDB has cleared away the rows that were deleted. Until then they can be locked:
 * {@code FOR UPDATE} of a row that is not there finds one, and the same steps end otherwise than on
 * a table that is fresh.
 */
final class InnoDbPurge {
  private static final Pattern STATE =
      Pattern.compile("Trx id counter (\\d+)\\s+Purge done for trx's n:o < (\\d+) .*state: (.*)");
  private static final Duration MAX = Duration.ofMillis(50);
  private static final Duration PAUSE = Duration.ofNanos(300_000);

  /** An old snapshot of another session keeps all rows for as long as it is open. */
  private static final int MAX_FRUITLESS = 3;

  private final Connection control;
  private int inVain;

  InnoDbPurge(Connection control) {
    this.control = control;
  }

  /** Waits for what has been committed by now, though not for long. */
  void await() {
    if (inVain == MAX_FRUITLESS) {
      return;
    }
    long start = System.nanoTime();
    long last = -1;
    while (System.nanoTime() - start < MAX.toNanos()) {
      Matcher state = STATE.matcher(status());
      if (!state.find()) {
        // not permitted, or another server's words
        inVain = MAX_FRUITLESS;
        return;
      }
      last = last < 0 ? Long.parseLong(state.group(1)) : last;
      if (Long.parseLong(state.group(2)) >= last && state.group(3).contains("idle")) {
        inVain = 0;
        return;
      }
      LockSupport.parkNanos(TimeUnit.NANOSECONDS.convert(PAUSE));
    }
    inVain++;
  }

  private String status() {
    try {
      return Query.rows(control, "SHOW ENGINE INNODB STATUS", row -> row.getString("Status"))
          .get(0);
    } catch (SQLException notPermitted) {
      return "";
    }
  }
}
