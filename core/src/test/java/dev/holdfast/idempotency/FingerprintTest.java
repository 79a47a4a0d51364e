package dev.holdfast.idempotency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.InvalidArgumentException;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import org.junit.jupiter.api.Test;

class FingerprintTest {
  @Test
  void eachPartCountsByItself() {
    assertThat(
            Set.of(
                Fingerprint.none(),
                Fingerprint.of(new String[0]),
                Fingerprint.of(""),
                Fingerprint.of("", ""),
                Fingerprint.of("ab"),
                Fingerprint.of("a", "b"),
                Fingerprint.of("b", "a"),
                Fingerprint.of("AB")))
        .hasSize(8);
    assertThat(Fingerprint.of("é", "b"))
        .isEqualTo(Fingerprint.of("é".getBytes(StandardCharsets.UTF_8), new byte[] {'b'}))
        .hasSameHashCodeAs(Fingerprint.of("é", "b"));
  }

  @Test
  void roundTripsThroughImmutableBytes() {
    Fingerprint fingerprint = Fingerprint.of("a");
    byte[] bytes = fingerprint.sha256();
    Fingerprint again = Fingerprint.ofSha256(bytes);
    bytes[0]++;
    fingerprint.sha256()[0]++;

    assertThat(again).isEqualTo(fingerprint).isEqualTo(Fingerprint.of("a"));
    assertThat(fingerprint.toString()).matches("[0-9a-f]{64}");
  }

  @Test
  @SuppressWarnings("NullAway")
  void badOnesAreRefused() {
    assertThatThrownBy(() -> Fingerprint.ofSha256(new byte[31]))
        .isInstanceOf(InvalidArgumentException.class)
        .hasMessageContaining("32 bytes, had 31");
    assertThatThrownBy(() -> Fingerprint.ofSha256(null))
        .isInstanceOf(InvalidArgumentException.class);
    assertThatThrownBy(() -> Fingerprint.of((String[]) null))
        .isInstanceOf(InvalidArgumentException.class);
    assertThatThrownBy(() -> Fingerprint.of((byte[][]) null))
        .isInstanceOf(InvalidArgumentException.class);
    assertThatThrownBy(() -> Fingerprint.of("a", null))
        .isInstanceOf(InvalidArgumentException.class);
    assertThatThrownBy(() -> Fingerprint.of(new byte[1], null))
        .isInstanceOf(InvalidArgumentException.class);
  }
}
