package dev.holdfast.web;

import dev.holdfast.servlet.ProblemException;
import dev.holdfast.web.api.ProblemType;
import java.time.Duration;
import java.util.concurrent.Semaphore;

/**
 * Limits how long a thread waits for the body of a request.
 *
 * <p>A body must arrive at 64 KiB per second after the first 10 seconds. Without a valid token it
 * must arrive within 5 seconds, and only a few threads wait for such bodies. Thread-safe.
 */
final class BodyTimeout {
  private static final long GRACE_NANOS = Duration.ofSeconds(10).toNanos();
  private static final long STRANGER_NANOS = Duration.ofSeconds(5).toNanos();
  private static final long NANOS_PER_KIB = Duration.ofSeconds(1).toNanos() / 64;
  private static final int KIB = 1024;
  private static final int MAX_UNKNOWN = 8;

  private final Semaphore strangers = new Semaphore(MAX_UNKNOWN);

  /** Called before a thread waits for the body of a request without a valid token. */
  void beginWait() {
    if (!strangers.tryAcquire()) {
      throw ProblemType.UNAVAILABLE
          .with("too many requests without a token are in progress; send the body without delay")
          .header("Retry-After", "5")
          .toException();
    }
  }

  void endWait() {
    strangers.release();
  }

  /**
   * Rejects a body that arrives too slowly.
   *
   * @param nanos since the start of reading
   * @param bytes number of bytes so far
   */
  void require(long nanos, long bytes, boolean stranger) {
    long limit = stranger ? STRANGER_NANOS : GRACE_NANOS + bytes / KIB * NANOS_PER_KIB;
    if (nanos > limit) {
      throw late();
    }
  }

  private static ProblemException late() {
    return ProblemType.TIMEOUT
        .with("the body must arrive within some seconds, or at 64 KiB per second")
        .header("Connection", "close")
        .toException();
  }
}
