package dev.holdfast.testing.contract;

import dev.holdfast.idempotency.IdempotencyKey;
import dev.holdfast.idempotency.LargeResultStore;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Keeps answers in memory. */
final class MemoryResultStore implements LargeResultStore {
  final Map<String, byte[]> kept = new ConcurrentHashMap<>();

  @Override
  public void put(IdempotencyKey key, String name, byte[] reply) {
    kept.put(name, reply.clone());
  }

  @Override
  public byte @Nullable [] get(IdempotencyKey key, String name) {
    return kept.get(name);
  }
}
