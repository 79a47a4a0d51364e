package dev.holdfast.idempotency;

import java.util.function.Supplier;

/**
 * Says to a store what must be said, also on a thread that was interrupted: pools and drivers would
 * fail at once. The interrupt stays for whoever comes after.
 */
final class Uninterrupted {
  private Uninterrupted() {}

  static <T> T of(Supplier<T> change) {
    boolean interrupted = Thread.interrupted();
    try {
      return change.get();
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
