package dev.holdfast.idempotency;

import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Keys that were answered here not long ago: who repeats a request does so soon, and often at the
 * same instance. Only a guess, which may be wrong both ways, at where to look first. Thread-safe.
 */
final class Recent {
  private static final int PLACES = 1 << 13;

  private final AtomicLongArray places = new AtomicLongArray(PLACES);

  void add(IdempotencyKey key) {
    long hash = hash(key);
    places.lazySet(place(hash), hash);
  }

  boolean has(IdempotencyKey key) {
    long hash = hash(key);
    return places.get(place(hash)) == hash;
  }

  private static int place(long hash) {
    return (int) (hash & (PLACES - 1));
  }

  private static long hash(IdempotencyKey key) {
    return ByteBuffer.wrap(key.digest()).getLong();
  }
}
