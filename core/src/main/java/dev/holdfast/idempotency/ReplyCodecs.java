package dev.holdfast.idempotency;

import dev.holdfast.internal.Require;
import java.nio.charset.StandardCharsets;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Ways to keep answers that need nothing but the JDK. */
public final class ReplyCodecs {
  private static final byte[] EMPTY = new byte[0];
  private static final ReplyCodec<byte[]> BYTES = codec(byte[]::clone, byte[]::clone);
  private static final ReplyCodec<String> TEXT =
      codec(
          text -> text.getBytes(StandardCharsets.UTF_8),
          bytes -> new String(bytes, StandardCharsets.UTF_8));
  private static final ReplyCodec<Long> NUMBER =
      codec(
          number -> Long.toString(number).getBytes(StandardCharsets.US_ASCII),
          bytes -> Long.valueOf(new String(bytes, StandardCharsets.US_ASCII)));
  private static final ReplyCodec<@Nullable Void> NOTHING =
      new ReplyCodec<@Nullable Void>() {
        @Override
        public byte[] write(@Nullable Void reply) {
          return EMPTY;
        }

        @Override
        public @Nullable Void read(byte[] bytes) {
          return null;
        }
      };

  private ReplyCodecs() {}

  /** Bytes as they are. */
  public static ReplyCodec<byte[]> bytes() {
    return BYTES;
  }

  /** Text, as UTF-8. */
  public static ReplyCodec<String> text() {
    return TEXT;
  }

  /** A whole number, such as the id of what was made. */
  public static ReplyCodec<Long> number() {
    return NUMBER;
  }

  /** Where there is nothing to answer but that it is done. */
  public static ReplyCodec<@Nullable Void> nothing() {
    return NOTHING;
  }

  private static <T> ReplyCodec<T> codec(Function<T, byte[]> write, Function<byte[], T> read) {
    return new ReplyCodec<>() {
      @Override
      public byte[] write(T reply) {
        Require.that(
            reply != null,
            "a reply must not be null; use ReplyCodecs.nothing() where there is none, or a codec of"
                + " your own that knows null");
        return write.apply(reply);
      }

      @Override
      public T read(byte[] bytes) {
        return read.apply(bytes);
      }
    };
  }
}
