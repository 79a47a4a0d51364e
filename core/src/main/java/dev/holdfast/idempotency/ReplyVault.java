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
  /** Keeps an answer and tells by which reference, of at most 1000 characters. */
  String put(IdempotencyKey key, byte[] reply);

  /** The answer behind a reference that {@link #put} has given; null where it is lost. */
  byte @Nullable [] get(String reference);
}
