package dev.holdfast.internal.event.engine;

import java.util.concurrent.atomic.AtomicLong;

/**
 * How much payload a worker may have in its hands, in all its queues together: events are claimed
 * by the hundred, and a hundred large ones must not take the memory of the process. Thread-safe.
 */
final class PayloadMemoryLimit {
  /** Of what the JVM may have; what handlers make of a payload comes on top of it. */
  private static final long SHARE = 8;

  /** So that several queues can claim at once. */
  private static final long CLAIMS = 4;

  private final long most;
  private final AtomicLong taken = new AtomicLong();

  PayloadMemoryLimit(long most) {
    this.most = most;
  }

  /** A part of the memory that the JVM may have. */
  static PayloadMemoryLimit ofThisJvm() {
    return new PayloadMemoryLimit(Runtime.getRuntime().maxMemory() / SHARE);
  }

  static PayloadMemoryLimit unlimited() {
    return new PayloadMemoryLimit(Long.MAX_VALUE);
  }

  boolean isFull() {
    return taken.get() >= most;
  }

  /** How much one claim may take of each of so many shards. */
  long forOneClaim(int shards) {
    return Math.max(1, (most - taken.get()) / CLAIMS / shards);
  }

  void take(long size) {
    taken.addAndGet(size);
  }

  void giveBack(long size) {
    taken.addAndGet(-size);
  }
}
