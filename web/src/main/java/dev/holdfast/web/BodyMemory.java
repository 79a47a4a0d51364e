package dev.holdfast.web;

import dev.holdfast.servlet.ProblemException;
import dev.holdfast.web.api.ProblemType;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Limits the memory for request bodies, each of which exists several times while it is read and
 * stored. Requests that find no free memory wait in order, and their bodies are not read.
 * Thread-safe.
 */
final class BodyMemory {
  private static final int UNIT = 1024;

  /** Part of the heap. */
  private static final long SHARE = 16;

  /** A waiting request occupies a thread, which small requests need, too. */
  private static final int MAX_WAITING = 32;

  private final int units;
  private final Semaphore free;
  private final Semaphore next = new Semaphore(1);
  private final Semaphore waiting;
  private final Duration patience;

  /**
   * @param maxWaiters maximum number of waiting requests; further ones are rejected
   */
  BodyMemory(long bytes, Duration patience, int maxWaiters) {
    this.waiting = new Semaphore(maxWaiters);
    this.units = (int) Math.max(1, Math.min(Integer.MAX_VALUE, bytes / UNIT));
    this.free = new Semaphore(units, /* fair= */ true);
    this.patience = patience;
  }

  static BodyMemory ofThisJvm() {
    return new BodyMemory(
        Runtime.getRuntime().maxMemory() / SHARE, Duration.ofSeconds(20), MAX_WAITING);
  }

  /** The share of one request, which is empty at first. */
  Share share() {
    return new Share();
  }

  /**
   * The memory of one request, which grows with its body. The first request that finds no free
   * memory continues without: otherwise two requests could deadlock, each with half of what it
   * needs. Used by one thread at a time.
   */
  final class Share implements AutoCloseable {
    private int taken;
    private boolean express;

    /** Acquires memory for more bytes, at most all memory there is. */
    void take(long bytes) {
      int wanted = (int) Math.min(units, (bytes + UNIT - 1) / UNIT);
      if (express || isTaken(wanted, Duration.ZERO)) {
        return;
      }
      express = next.tryAcquire();
      if (!express && !isTakenInTime(wanted)) {
        throw full();
      }
    }

    private boolean isTakenInTime(int wanted) {
      if (!waiting.tryAcquire()) {
        return false;
      }
      try {
        return isTaken(wanted, patience);
      } finally {
        waiting.release();
      }
    }

    private boolean isTaken(int wanted, Duration limit) {
      try {
        if (free.tryAcquire(wanted, limit.toMillis(), TimeUnit.MILLISECONDS)) {
          taken += wanted;
          return true;
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      return false;
    }

    /** Releases all memory. */
    @Override
    public void close() {
      free.release(taken);
      taken = 0;
      if (express) {
        express = false;
        next.release();
      }
    }
  }

  private static ProblemException full() {
    return ProblemType.TOO_MANY_REQUESTS
        .with("nothing was stored: too many large requests are in progress; retry later")
        .header("Retry-After", "5")
        .header("Connection", "close")
        .toException();
  }
}
