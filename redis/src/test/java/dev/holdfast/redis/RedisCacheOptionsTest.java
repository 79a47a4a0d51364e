package dev.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.InvalidArgumentException;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RedisCacheOptionsTest {
  private static final RedisCacheOptions OPTIONS = RedisCacheOptions.DEFAULTS;

  @Test
  void eachChangeLeavesTheRestAsItWas() {
    RedisCacheOptions changed = OPTIONS.withPrefix("shop").withTimeout(Duration.ofSeconds(1));
    assertThat(changed).isEqualTo(new RedisCacheOptions("shop", Duration.ofSeconds(1)));
    assertThat(OPTIONS.prefix()).isEqualTo("holdfast");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " ", "a b", "{a}", "a*", "ä", "a\n"})
  void rejectsUnsafePrefix(String prefix) {
    assertThatThrownBy(() -> OPTIONS.withPrefix(prefix))
        .isInstanceOf(InvalidArgumentException.class)
        .hasMessageContaining("the prefix of the keys");
  }

  @Test
  void timeoutsThatMakeNoSenseAreRefused() {
    assertThatThrownBy(() -> OPTIONS.withTimeout(Duration.ZERO))
        .isInstanceOf(InvalidArgumentException.class);
    assertThatThrownBy(() -> OPTIONS.withTimeout(Duration.ofHours(1)))
        .isInstanceOf(InvalidArgumentException.class);
  }
}
