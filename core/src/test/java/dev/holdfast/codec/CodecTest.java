package dev.holdfast.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.InvalidArgumentException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class CodecTest {
  private static <T extends @Nullable Object> T roundTrip(Codec<T> codec, T value) {
    return codec.decode(codec.encode(value));
  }

  @Test
  @SuppressWarnings("NullAway") // it takes the value of none() for one that is never null
  void encodedValuesAreDecoded() {
    assertThat(roundTrip(Codec.text(), "é ☕ 😀 \u0000\n")).isEqualTo("é ☕ 😀 \u0000\n");
    assertThat(roundTrip(Codec.text(), "")).isEmpty();
    for (long number : new long[] {0, -1, 42, Long.MAX_VALUE, Long.MIN_VALUE}) {
      assertThat(roundTrip(Codec.longs(), number)).isEqualTo(number);
    }
    assertThat(roundTrip(Codec.none(), null)).isNull();
    assertThat(roundTrip(Codec.bytes(), new byte[] {0, -1, 1})).isEqualTo(new byte[] {0, -1, 1});
  }

  @Test
  @SuppressWarnings("NullAway")
  void textIsUtf8AndNumbersAreDigits() {
    assertThat(Codec.text().encode("é")).isEqualTo("é".getBytes(StandardCharsets.UTF_8));
    assertThat(Codec.longs().encode(-7L)).isEqualTo(new byte[] {'-', '7'});
    assertThat(Codec.none().encode(null)).isEmpty();
  }

  @Test
  void bytesAreCopied() {
    byte[] mine = {1};
    byte[] written = Codec.bytes().encode(mine);
    mine[0] = 2;
    byte[] read = Codec.bytes().decode(written);
    written[0] = 3;

    assertThat(read).containsExactly(1);
  }

  @Test
  void bytesThatAreNoNumberAreRejected() {
    assertThatThrownBy(() -> Codec.longs().decode(new byte[] {'x'}))
        .isInstanceOf(NumberFormatException.class);
  }

  @Test
  @SuppressWarnings("NullAway") // what is rejected
  void nullIsRejected() {
    assertThatThrownBy(() -> Codec.text().encode(null))
        .isInstanceOf(InvalidArgumentException.class)
        .hasMessageContaining("none()");
    assertThatThrownBy(() -> Codec.longs().encode(null))
        .isInstanceOf(InvalidArgumentException.class);
  }
}
