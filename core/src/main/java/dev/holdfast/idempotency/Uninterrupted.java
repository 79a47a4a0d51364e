package dev.holdfast.idempotency;

import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Says to a store what must be said, also on a thread that was interrupted: pools and drivers would
 * fail at once, and a database in files may break. The interrupt stays for whoever comes after.
 */
final class Uninterrupted {
  /** Threads that say something now, and whether they are to be interrupted after it. */
  private static final Map<Thread, Boolean> SAYING = new HashMap<>();

  private Uninterrupted() {}

  static <T> T of(Supplier<T> change) {
    Thread thread = Thread.currentThread();
    synchronized (SAYING) {
      SAYING.put(thread, Thread.interrupted());
    }
    try {
      return change.get();
    } finally {
      synchronized (SAYING) {
        if (Boolean.TRUE.equals(SAYING.remove(thread))) {
          thread.interrupt();
        }
      }
    }
  }

  /** Interrupts a thread, but not in the middle of what it says. */
  static void interrupt(Thread thread) {
    synchronized (SAYING) {
      if (SAYING.containsKey(thread)) {
        SAYING.put(thread, true);
      } else {
        thread.interrupt();
      }
    }
  }
}
