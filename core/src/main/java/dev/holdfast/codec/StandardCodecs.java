package dev.holdfast.codec;

import dev.holdfast.internal.Require;
import java.nio.charset.StandardCharsets;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The codecs that need only the JDK. */
final class StandardCodecs {
  static final Codec<String> TEXT =
      codec(
          true,
          text -> text.getBytes(StandardCharsets.UTF_8),
          bytes -> new String(bytes, StandardCharsets.UTF_8));
  static final Codec<byte[]> BYTES = codec(false, byte[]::clone, byte[]::clone);
  static final Codec<Long> LONGS =
      codec(
          true,
          number -> Long.toString(number).getBytes(StandardCharsets.US_ASCII),
          bytes -> Long.valueOf(new String(bytes, StandardCharsets.US_ASCII)));
  static final Codec<@Nullable Void> NONE =
      new Codec<@Nullable Void>() {
        @Override
        public byte[] encode(@Nullable Void value) {
          return new byte[0];
        }

        @Override
        public @Nullable Void decode(byte[] bytes) {
          return null;
        }
      };

  private StandardCodecs() {}

  private static <T> Codec<T> codec(
      boolean text, Function<T, byte[]> encode, Function<byte[], T> decode) {
    return new Codec<>() {
      @Override
      public byte[] encode(T value) {
        Require.that(
            value != null,
            "a value must not be null; use Codec.none() if there is none, or a codec that encodes"
                + " null");
        return encode.apply(value);
      }

      @Override
      public T decode(byte[] bytes) {
        return decode.apply(bytes);
      }

      @Override
      public boolean isText() {
        return text;
      }
    };
  }
}
