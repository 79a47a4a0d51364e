package dev.holdfast.codec;

import org.jspecify.annotations.Nullable;

/**
 * Encodes values of one type to bytes and decodes them: payloads of events, results of idempotent
 * requests, inputs and steps of workflows, cached values.
 *
 * <p>Stored values outlive a release of the application: {@link #decode} must accept what older
 * versions encoded. Implementations must be thread-safe.
 */
public interface Codec<T extends @Nullable Object> {
  /**
   * Encodes a value.
   *
   * @throws RuntimeException if the value cannot be encoded; it is then rejected
   */
  byte[] encode(T value);

  /**
   * Decodes a value.
   *
   * @throws RuntimeException if the bytes do not match the type
   */
  T decode(byte[] bytes);

  /**
   * Whether the encoded bytes are text in UTF-8. The payload of an event is then stored in a text
   * column, readable in SQL and in the dashboard. Must always return the same value. The default is
   * {@code false}.
   */
  default boolean isText() {
    return false;
  }

  /** Strings as UTF-8. */
  static Codec<String> text() {
    return StandardCodecs.TEXT;
  }

  /** Bytes as they are. */
  static Codec<byte[]> bytes() {
    return StandardCodecs.BYTES;
  }

  /** Whole numbers in decimal digits, such as ids. */
  static Codec<Long> longs() {
    return StandardCodecs.LONGS;
  }

  /** No value: encodes {@code null} as no bytes. */
  static Codec<@Nullable Void> none() {
    return StandardCodecs.NONE;
  }
}
