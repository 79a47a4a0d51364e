package dev.holdfast.internal.workflow;

import dev.holdfast.HoldfastException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/** Repeats a change of a store that did not respond: a repeated change counts once. */
final class StoreRetry {
  private static final int MAX_ATTEMPTS = 3;
  private static final long MIN_BACKOFF_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
  private static final long MAX_BACKOFF_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private StoreRetry() {}

  static <T> T of(Supplier<T> change) {
    for (int attempt = 1; ; attempt++) {
      try {
        return change.get();
      } catch (HoldfastException e) {
        if (attempt == MAX_ATTEMPTS || !e.isRetryable()) {
          throw e;
        }
      }
      LockSupport.parkNanos(
          ThreadLocalRandom.current().nextLong(MIN_BACKOFF_NANOS, MAX_BACKOFF_NANOS));
    }
  }
}
