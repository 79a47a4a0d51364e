package dev.holdfast.internal.workflow;

import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Calls a store without an interrupt in between: pools and drivers would fail at once, and a
 * database in files may break. An interrupt is delivered after the call.
 */
final class UninterruptibleCalls {
  /** Threads inside a call, and whether they are to be interrupted after it. */
  private static final Map<Thread, Boolean> CALLING = new HashMap<>();

  private UninterruptibleCalls() {}

  static <T> T of(Supplier<T> call) {
    Thread thread = Thread.currentThread();
    synchronized (CALLING) {
      CALLING.put(thread, Thread.interrupted());
    }
    try {
      return call.get();
    } finally {
      synchronized (CALLING) {
        if (Boolean.TRUE.equals(CALLING.remove(thread))) {
          thread.interrupt();
        }
      }
    }
  }

  /** Interrupts a thread now, or after its current call. */
  static void interrupt(Thread thread) {
    synchronized (CALLING) {
      if (CALLING.containsKey(thread)) {
        CALLING.put(thread, true);
      } else {
        thread.interrupt();
      }
    }
  }
}
