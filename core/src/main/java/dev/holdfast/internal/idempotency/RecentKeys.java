package dev.holdfast.internal.idempotency;

import dev.holdfast.idempotency.IdempotencyKey;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Keys that this process has completed recently: most duplicates arrive soon, and often at the same
 * instance. Only a hint for the first statement, which may be wrong in both directions.
 * Thread-safe.
 */
final class RecentKeys {
  private static final int SIZE = 1 << 13;

  private final AtomicLongArray hashes = new AtomicLongArray(SIZE);

  void add(IdempotencyKey key) {
    long hash = hash(key);
    hashes.lazySet(index(hash), hash);
  }

  boolean contains(IdempotencyKey key) {
    long hash = hash(key);
    return hashes.get(index(hash)) == hash;
  }

  private static int index(long hash) {
    return (int) (hash & (SIZE - 1));
  }

  private static long hash(IdempotencyKey key) {
    return ByteBuffer.wrap(key.digest()).getLong();
  }
}
