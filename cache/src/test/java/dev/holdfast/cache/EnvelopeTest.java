package dev.holdfast.cache;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;

class EnvelopeTest {
  private static final CacheName NAME = CacheName.of("prices", "42");

  @Test
  void whatIsWrittenIsRead() {
    Envelope read =
        Objects.requireNonNull(
            Envelope.read(
                new Envelope(Envelope.Kind.VALUE, 123, new byte[] {1, 2, 3}).write(NAME), NAME));

    assertThat(read.kind()).isEqualTo(Envelope.Kind.VALUE);
    assertThat(read.loadNanos()).isEqualTo(123);
    assertThat(read.content()).containsExactly(1, 2, 3);
    Envelope error =
        Objects.requireNonNull(Envelope.read(Envelope.error("\u00e4").write(NAME), NAME));
    assertThat(error.text()).isEqualTo("\u00e4");
  }

  @Test
  void whatWasNotWrittenByUsIsNothing() {
    Random random = new Random(1);
    byte[] good = new Envelope(Envelope.Kind.EMPTY, 0, new byte[0]).write(NAME);
    for (int i = 0; i < 10_000; i++) {
      byte[] bad = Arrays.copyOf(good, random.nextInt(30));
      if (bad.length > 0) {
        bad[random.nextInt(bad.length)] = (byte) random.nextInt();
      }
      Envelope.read(bad, NAME);
    }
    assertThat(Envelope.read(new byte[0], NAME)).isNull();
    assertThat(Envelope.read(Arrays.copyOf(good, 13), NAME)).isNull();
  }
}
