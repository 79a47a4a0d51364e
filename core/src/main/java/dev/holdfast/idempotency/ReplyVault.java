package dev.holdfast.idempotency;

import org.jspecify.annotations.Nullable;

/**
 * Where answers are kept that are too large for the store, such as a bucket of files. Must be
 * thread-safe.
 *
 * <p>An answer is put before its record is committed, and stays where that fails: have the vault
 * forget by itself what is older than the retention of the records.
 */
public interface ReplyVault {
  /**
   * Keeps an answer.
   *
   * @param key whose answer it is, for those who have a place for each tenant, say. It must not
   *     alone decide where the answer is: whoever has lost its claim also puts one, before it is
   *     told so, and must not overwrite that of the winner
   * @param name by which it is asked for; of letters, digits and hyphens, and another one each time
   */
  void put(IdempotencyKey key, String name, byte[] reply);

  /** The answer that was {@linkplain #put put} under this name; null where it is lost. */
  byte @Nullable [] get(IdempotencyKey key, String name);
}
