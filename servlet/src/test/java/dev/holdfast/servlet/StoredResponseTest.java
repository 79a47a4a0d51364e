package dev.holdfast.servlet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.servlet.StoredResponse.Header;
import dev.holdfast.servlet.StoredResponse.UnreadableException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class StoredResponseTest {
  private static final int TIMES = 2000;

  private static StoredResponse any(Random random) {
    List<Header> headers = new ArrayList<>();
    for (int i = random.nextInt(random.nextBoolean() ? 5 : 200); i > 0; i--) {
      headers.add(new Header("H" + text(random), "" + text(random)));
    }
    byte[] body = new byte[random.nextInt(random.nextBoolean() ? 3 : 5000)];
    random.nextBytes(body);
    return new StoredResponse(
        100 + random.nextInt(900), random.nextBoolean(), text(random), text(random), headers, body);
  }

  private static @Nullable String text(Random random) {
    if (random.nextInt(4) == 0) {
      return null;
    }
    StringBuilder text = new StringBuilder();
    for (int i = random.nextInt(random.nextInt(10) == 0 ? 300 : 20); i > 0; i--) {
      int c = random.nextInt(0x2ffff);
      text.appendCodePoint(c >= 0xd800 && c < 0xe000 ? 'x' : c);
    }
    return text.toString();
  }

  @Test
  void whatIsReadIsWhatWasWritten() throws UnreadableException {
    Random random = new Random(1);
    for (int i = 0; i < TIMES; i++) {
      StoredResponse written = any(random);
      StoredResponse read = StoredResponse.read(written.bytes());
      assertThat(read.status()).isEqualTo(written.status());
      assertThat(read.error()).isEqualTo(written.error());
      assertThat(read.message()).isEqualTo(written.message());
      assertThat(read.contentType()).isEqualTo(written.contentType());
      assertThat(read.headers()).isEqualTo(written.headers());
      assertThat(read.body()).isEqualTo(written.body());
      assertThat(read).isEqualTo(written).hasSameHashCodeAs(written);
    }
  }

  /** Read, or refused; never anything else. */
  @Test
  void whatIsDamagedIsReadOrRefused() {
    Random random = new Random(2);
    for (int i = 0; i < TIMES; i++) {
      byte[] bytes = any(random).bytes();
      byte[] damaged = Arrays.copyOf(bytes, random.nextInt(bytes.length + 1));
      for (int j = random.nextInt(4); j > 0 && damaged.length > 0; j--) {
        damaged[random.nextInt(damaged.length)] = (byte) random.nextInt();
      }
      try {
        StoredResponse.read(damaged);
      } catch (UnreadableException e) {
        assertThat(e).hasMessageContaining("a kept response");
      }
    }
  }

  @Test
  void anotherVersionIsRefused() {
    byte[] bytes = any(new Random(3)).bytes();
    bytes[0] = 2;
    assertThatThrownBy(() -> StoredResponse.read(bytes))
        .isInstanceOf(UnreadableException.class)
        .hasMessageContaining("unknown version 2");
    assertThatThrownBy(() -> StoredResponse.read(new byte[0]))
        .isInstanceOf(UnreadableException.class);
  }

  @Test
  void itCostsFewBytesMoreThanTheBody() {
    StoredResponse small =
        new StoredResponse(200, false, null, "text/plain", List.of(), new byte[100]);
    assertThat(small.bytes().length).isLessThan(120);
  }
}
