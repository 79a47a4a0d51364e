package dev.holdfast.web;

import dev.holdfast.web.api.ProblemType;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * How much of the bodies of requests is in memory at once: they come as many as they like, and each
 * is there several times while it is read and stored. Those for which there is no room wait, in
 * their order, and are not read meanwhile. Thread-safe.
 */
final class RequestRoom {
  private static final int UNIT = 1024;

  /** Of what the JVM may have. */
  private static final long SHARE = 16;

  private final int units;
  private final Semaphore free;
  private final Duration patience;

  RequestRoom(long bytes, Duration patience) {
    this.units = (int) Math.max(1, Math.min(Integer.MAX_VALUE, bytes / UNIT));
    this.free = new Semaphore(units, /* fair= */ true);
    this.patience = patience;
  }

  static RequestRoom ofThisJvm() {
    return new RequestRoom(Runtime.getRuntime().maxMemory() / SHARE, Duration.ofSeconds(20));
  }

  /**
   * Takes room for so many bytes, all there is where it is less; answers what is to be given back.
   */
  int take(long bytes) {
    int wanted = (int) Math.min(units, (bytes + UNIT - 1) / UNIT);
    try {
      if (free.tryAcquire(wanted, patience.toMillis(), TimeUnit.MILLISECONDS)) {
        return wanted;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    throw ProblemType.TOO_MANY_REQUESTS
        .with("nothing was stored: too many large requests are under way; try again in a moment")
        .header("Retry-After", "5")
        .header("Connection", "close")
        .exception();
  }

  void giveBack(int taken) {
    free.release(taken);
  }
}
