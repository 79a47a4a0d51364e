package dev.holdfast.cache;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The monotonic clock with a precision of a few milliseconds. Reading it costs a field access;
 * reading the real clock can take longer than the rest of a hit. It is never ahead. Its thread runs
 * while the clock is used, and ends a second or two later. Thread-safe.
 */
final class CoarseClock {
  /** Of all caches of this process. */
  static final CoarseClock SHARED = new CoarseClock();

  private static final long STEP_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
  private static final int STEPS_PER_LOOK = 200;
  private static final long STOPPED = Long.MIN_VALUE;

  private volatile long time = STOPPED;

  /** Written only where it changes, so that those who ask do not disturb each other. */
  private boolean asked;

  private CoarseClock() {}

  long now() {
    long now = time;
    if (now == STOPPED) {
      return start();
    }
    if (!asked) {
      asked = true;
    }
    return now;
  }

  private synchronized long start() {
    long now = System.nanoTime();
    if (time == STOPPED) {
      time = now;
      asked = true;
      Thread thread = new Thread(this::run, "holdfast-cache-clock");
      thread.setDaemon(true);
      thread.start();
    }
    return now;
  }

  private void run() {
    do {
      asked = false;
      for (int i = 0; i < STEPS_PER_LOOK; i++) {
        LockSupport.parkNanos(STEP_NANOS);
        time = System.nanoTime();
      }
    } while (asked);
    time = STOPPED;
  }
}
