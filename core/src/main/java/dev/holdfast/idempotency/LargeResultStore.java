package dev.holdfast.idempotency;

import org.jspecify.annotations.Nullable;

/**
 * Stores results that are too large for the record of a request, for example in an object store.
 * Must be thread-safe.
 *
 * <p>A result is put before its record is committed, and remains if that fails. Let the store
 * delete what is older than the retention of the records.
 */
public interface LargeResultStore {
  /**
   * Stores a result.
   *
   * @param key the key of its request, for stores with a place per tenant, for example. It must not
   *     decide alone where the result is stored: an attempt that has lost its lease also puts a
   *     result and must not overwrite that of the new owner
   * @param name the name of the result: letters, digits and hyphens, different for each call
   */
  void put(IdempotencyKey key, String name, byte[] result);

  /** The result that was {@linkplain #put put} under this name; null if it is gone. */
  byte @Nullable [] get(IdempotencyKey key, String name);
}
