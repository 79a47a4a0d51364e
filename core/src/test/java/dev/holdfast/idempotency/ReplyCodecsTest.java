package dev.holdfast.idempotency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.InvalidArgumentException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ReplyCodecsTest {
  private static <T extends @Nullable Object> T again(ReplyCodec<T> codec, T reply) {
    return codec.read(codec.write(reply));
  }

  @Test
  @SuppressWarnings("NullAway") // it takes the answer of nothing() for one that is never null
  void whatIsWrittenIsReadAgain() {
    assertThat(again(ReplyCodecs.text(), "é ☕ 😀 \u0000\n")).isEqualTo("é ☕ 😀 \u0000\n");
    assertThat(again(ReplyCodecs.text(), "")).isEmpty();
    for (long number : new long[] {0, -1, 42, Long.MAX_VALUE, Long.MIN_VALUE}) {
      assertThat(again(ReplyCodecs.number(), number)).isEqualTo(number);
    }
    assertThat(again(ReplyCodecs.nothing(), null)).isNull();
    assertThat(again(ReplyCodecs.bytes(), new byte[] {0, -1, 1})).isEqualTo(new byte[] {0, -1, 1});
  }

  @Test
  @SuppressWarnings("NullAway")
  void textIsUtf8AndNumbersAreDigits() {
    assertThat(ReplyCodecs.text().write("é")).isEqualTo("é".getBytes(StandardCharsets.UTF_8));
    assertThat(ReplyCodecs.number().write(-7L)).isEqualTo(new byte[] {'-', '7'});
    assertThat(ReplyCodecs.nothing().write(null)).isEmpty();
  }

  @Test
  void bytesAreCopied() {
    byte[] mine = {1};
    byte[] written = ReplyCodecs.bytes().write(mine);
    mine[0] = 2;
    byte[] read = ReplyCodecs.bytes().read(written);
    written[0] = 3;

    assertThat(read).containsExactly(1);
  }

  @Test
  void aNumberThatIsNoneIsNotGuessed() {
    assertThatThrownBy(() -> ReplyCodecs.number().read(new byte[] {'x'}))
        .isInstanceOf(NumberFormatException.class);
  }

  @Test
  @SuppressWarnings("NullAway") // what is refused
  void rejectsNullResult() {
    assertThatThrownBy(() -> ReplyCodecs.text().write(null))
        .isInstanceOf(InvalidArgumentException.class)
        .hasMessageContaining("nothing()");
    assertThatThrownBy(() -> ReplyCodecs.number().write(null))
        .isInstanceOf(InvalidArgumentException.class);
  }
}
