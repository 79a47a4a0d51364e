package dev.holdfast.idempotency;

import org.jspecify.annotations.Nullable;

/**
 * How an answer is kept: as bytes, from which the same answer is made again. Must be thread-safe.
 *
 * @see ReplyCodecs
 */
public interface ReplyCodec<T extends @Nullable Object> {
  byte[] write(T reply);

  T read(byte[] bytes);
}
