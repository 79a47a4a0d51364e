package dev.holdfast.web;

import dev.holdfast.web.api.ProblemException;
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

  /** Each of those that wait holds a thread, which small requests need, too. */
  private static final int MAX_WAITING = 32;

  private final int units;
  private final Semaphore free;
  private final Semaphore next = new Semaphore(1);
  private final Semaphore waiting;
  private final Duration patience;

  /**
   * @param maxWaiters how many wait for room at once; further ones are refused at once
   */
  RequestRoom(long bytes, Duration patience, int maxWaiters) {
    this.waiting = new Semaphore(maxWaiters);
    this.units = (int) Math.max(1, Math.min(Integer.MAX_VALUE, bytes / UNIT));
    this.free = new Semaphore(units, /* fair= */ true);
    this.patience = patience;
  }

  static RequestRoom ofThisJvm() {
    return new RequestRoom(
        Runtime.getRuntime().maxMemory() / SHARE, Duration.ofSeconds(20), MAX_WAITING);
  }

  /** That of one request, which has taken none yet. */
  Share share() {
    return new Share();
  }

  /**
   * What one request has taken, bit by bit as its bytes come. The first that finds no room left
   * goes on without: else two that have half of what they need would wait for each other. Used by
   * one thread at a time.
   */
  final class Share implements AutoCloseable {
    private int taken;
    private boolean express;

    /** Takes room for so many bytes more, all there is where it is less. */
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

    /** Gives all of it back. */
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
        .with("nothing was stored: too many large requests are under way; try again in a moment")
        .header("Retry-After", "5")
        .header("Connection", "close")
        .exception();
  }
}
