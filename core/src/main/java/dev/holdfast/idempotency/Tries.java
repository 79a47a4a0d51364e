package dev.holdfast.idempotency;

import dev.holdfast.HoldfastException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/** Asks a store again where it did not answer: what is said twice counts once. */
final class Tries {
  private static final int MOST = 3;
  private static final long SHORTEST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
  private static final long LONGEST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private Tries() {}

  static <T> T of(Supplier<T> change) {
    for (int tries = 1; ; tries++) {
      try {
        return change.get();
      } catch (HoldfastException e) {
        if (tries == MOST || !e.retryable()) {
          throw e;
        }
      }
      LockSupport.parkNanos(
          ThreadLocalRandom.current().nextLong(SHORTEST_PAUSE_NANOS, LONGEST_PAUSE_NANOS));
    }
  }
}
