package dev.holdfast.cache;

/**
 * Writes values as bytes and reads them again. Thread-safe.
 *
 * <p>For JSON see {@link dev.holdfast.cache.json.JsonValues}.
 */
public interface CacheCodec<V> {
  /**
   * The value as bytes.
   *
   * @throws RuntimeException where it cannot be written; it is then kept in this process only
   */
  byte[] write(V value);

  /**
   * The value from its bytes.
   *
   * @throws RuntimeException where they do not fit, such as those of another version of the
   *     application; the value is then loaded, and takes their place
   */
  V read(byte[] bytes);
}
