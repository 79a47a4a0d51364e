package dev.holdfast.cache;

import org.jspecify.annotations.Nullable;

/** Computes the value of a key: the expensive thing that is to be done once. */
@FunctionalInterface
public interface CacheLoader<K, V> {
  /** The value; null where there is none. */
  @Nullable V load(K key) throws Exception;
}
