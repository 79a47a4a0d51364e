package dev.holdfast.web.api;

import java.time.Duration;
import java.util.function.LongConsumer;

/** Limits the lines in the log per period, and counts the others. Thread-safe. */
public final class LogRateLimit {
  private final int most;
  private final long periodNanos;
  private long sinceNanos = System.nanoTime();
  private int taken;
  private long leftOut;

  public LogRateLimit(int most, Duration period) {
    this.most = most;
    this.periodNanos = period.toNanos();
  }

  /** Calls this with how many were left out since the last line, or counts one more of them. */
  public void take(LongConsumer log) {
    long before;
    synchronized (this) {
      long now = System.nanoTime();
      if (now - sinceNanos >= periodNanos) {
        sinceNanos = now;
        taken = 0;
      }
      if (taken >= most) {
        leftOut++;
        return;
      }
      taken++;
      before = leftOut;
      leftOut = 0;
    }
    log.accept(before);
  }
}
