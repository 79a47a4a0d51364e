package dev.holdfast.internal.event.engine;

import java.util.concurrent.atomic.AtomicLong;

/**
 * How much payload may be in flight in all queues of a worker together: events are claimed by the
 * hundred, and a hundred large ones must not take the memory of the process. Thread-safe.
 */
final class PayloadMemoryLimit {
  /** Of what the JVM may have; what handlers make of a payload comes on top of it. */
  private static final long SHARE = 8;

  /** So that several queues can claim at once. */
  private static final long CLAIMS = 4;

  private final long max;
  private final AtomicLong reserved = new AtomicLong();

  PayloadMemoryLimit(long max) {
    this.max = max;
  }

  /** A part of the memory that the JVM may have. */
  static PayloadMemoryLimit ofThisJvm() {
    return new PayloadMemoryLimit(Runtime.getRuntime().maxMemory() / SHARE);
  }

  static PayloadMemoryLimit unlimited() {
    return new PayloadMemoryLimit(Long.MAX_VALUE);
  }

  boolean isFull() {
    return reserved.get() >= max;
  }

  /** How many bytes one claim may take of each of this many shards. */
  long perClaim(int shards) {
    return Math.max(1, (max - reserved.get()) / CLAIMS / shards);
  }

  void reserve(long size) {
    reserved.addAndGet(size);
  }

  void release(long size) {
    reserved.addAndGet(-size);
  }
}
