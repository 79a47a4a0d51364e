package dev.holdfast.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.InvalidArgumentException;
import dev.holdfast.lease.LeaseKey;
import java.util.List;
import org.junit.jupiter.api.Test;

class CacheNameTest {
  @Test
  void aShortKeyIsItsOwnName() {
    CacheName name = CacheName.of("prices", "42");

    assertThat(name.text()).isEqualTo("prices:42");
    assertThat(name.proof()).isEmpty();
  }

  @Test
  void everyNameCanBeStoredAndLeased() {
    for (String key :
        List.of("", "x".repeat(290), "x".repeat(100_000), "\u0000", "\ud800", "\udc00\ud800")) {
      CacheName name = CacheName.of("c".repeat(100), key);
      assertThat(name.text().length()).isLessThanOrEqualTo(CacheStore.MAX_NAME_LENGTH);
      assertThat(LeaseKey.exclusive(name.lease()).name()).endsWith(name.text());
    }
  }

  @Test
  void keysDoNotCollide() {
    String key = "x".repeat(1000);
    CacheName hashed = CacheName.of("prices", key);
    CacheName impostor = CacheName.of("prices", hashed.text().substring("prices:".length()));
    assertThat(impostor.text()).isEqualTo(hashed.text());
    Envelope envelope = new Envelope(Envelope.Kind.VALUE, 7, new byte[] {1, 2});

    assertThat(Envelope.read(envelope.write(hashed), hashed)).isNotNull();
    assertThat(Envelope.read(envelope.write(impostor), impostor)).isNotNull();
    assertThat(Envelope.read(envelope.write(hashed), impostor)).isNull();
    assertThat(Envelope.read(envelope.write(impostor), hashed)).isNull();
  }

  @Test
  void distinguishesUnstorableKeys() {
    assertThat(CacheName.of("c", "\ud800").text()).isNotEqualTo(CacheName.of("c", "\ud801").text());
  }

  @Test
  void aHugeKeyIsRefused() {
    assertThatThrownBy(() -> CacheName.of("prices", "x".repeat(100_001)))
        .isInstanceOf(InvalidArgumentException.class)
        .hasMessageContaining("at most 100000 characters, had 100001");
  }

  @Test
  void keysOfUsualKindsHaveTheirTexts() {
    assertThat(KeyTexts.of("a")).isEqualTo("a");
    assertThat(KeyTexts.of(42L)).isEqualTo("42");
    assertThat(KeyTexts.of(Envelope.Kind.EMPTY)).isEqualTo("EMPTY");
    assertThatThrownBy(() -> KeyTexts.of(new Object()))
        .isInstanceOf(InvalidArgumentException.class)
        .hasMessageContaining("keys(…)");
  }
}
