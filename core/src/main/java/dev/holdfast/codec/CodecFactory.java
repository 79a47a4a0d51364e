package dev.holdfast.codec;

/**
 * Creates codecs for classes of the application. Set it with {@code
 * Holdfast.builder(dataSource).codec(factory)}. If none is set, Holdfast finds it with {@link
 * java.util.ServiceLoader}: {@code holdfast-jackson} registers one for JSON.
 *
 * <p>{@code String}, {@code byte[]}, {@code Long} and {@code Void} need no factory: they always
 * have the codecs of {@link Codec}.
 *
 * <p>Implementations must be thread-safe. {@link #codec} is called for each value: it should be
 * cheap.
 */
public interface CodecFactory {
  /**
   * The codec of a class.
   *
   * @throws RuntimeException if there is none for this class
   */
  <T> Codec<T> codec(Class<T> type);
}
