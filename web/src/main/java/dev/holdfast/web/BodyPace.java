package dev.holdfast.web;

import dev.holdfast.web.api.ProblemException;
import dev.holdfast.web.api.ProblemType;
import java.time.Duration;
import java.util.concurrent.Semaphore;

/**
 * How long a thread may wait for the body of a request, however its bytes are spread over time.
 *
 * <p>A body must come at 64 KiB a second after the first 10 seconds; of those who have not shown a
 * token, within 5 seconds, and only a few of them are waited for at once. So nobody without a token
 * holds more than these few threads. Thread-safe.
 */
final class BodyPace {
  private static final long GRACE_NANOS = Duration.ofSeconds(10).toNanos();
  private static final long STRANGER_NANOS = Duration.ofSeconds(5).toNanos();
  private static final long NANOS_PER_KIB = Duration.ofSeconds(1).toNanos() / 64;
  private static final int KIB = 1024;
  private static final int MAX_UNKNOWN = 8;

  private final Semaphore strangers = new Semaphore(MAX_UNKNOWN);

  /** Before a thread waits for bytes of somebody who has not shown a token. */
  void beginWait() {
    if (!strangers.tryAcquire()) {
      throw ProblemType.UNAVAILABLE
          .with("too many requests without a token are under way; send the body at once")
          .header("Retry-After", "5")
          .exception();
    }
  }

  void endWait() {
    strangers.release();
  }

  /**
   * Refuses a body that comes too slowly.
   *
   * @param nanos since its first byte was waited for
   * @param bytes how many have come
   */
  void require(long nanos, long bytes, boolean stranger) {
    long limit = stranger ? STRANGER_NANOS : GRACE_NANOS + bytes / KIB * NANOS_PER_KIB;
    if (nanos > limit) {
      throw late();
    }
  }

  private static ProblemException late() {
    return ProblemType.TIMEOUT
        .with("the body must come within some seconds, or at 64 KiB a second")
        .header("Connection", "close")
        .exception();
  }
}
