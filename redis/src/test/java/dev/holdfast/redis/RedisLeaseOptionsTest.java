package dev.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.InvalidArgumentException;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RedisLeaseOptionsTest {
  private static final RedisLeaseOptions OPTIONS = RedisLeaseOptions.DEFAULTS;

  @ParameterizedTest
  @ValueSource(strings = {"", " ", "a b", "a{b", "a}b", "a*", "ä", "\n"})
  void rejectsUnsafePrefix(String prefix) {
    assertThatThrownBy(() -> OPTIONS.withPrefix(prefix))
        .isInstanceOf(InvalidArgumentException.class)
        .hasMessageContaining("the prefix of the keys");
  }

  @Test
  void timesOutOfBoundsAreRefused() {
    assertThatThrownBy(() -> OPTIONS.withTimeout(Duration.ZERO))
        .isInstanceOf(InvalidArgumentException.class);
    assertThatThrownBy(() -> OPTIONS.withMemory(Duration.ofSeconds(1)))
        .isInstanceOf(InvalidArgumentException.class);
    assertThatThrownBy(() -> OPTIONS.withReplicas(-1, Duration.ofSeconds(1)))
        .isInstanceOf(InvalidArgumentException.class);
    assertThatThrownBy(() -> OPTIONS.withReplicas(1, Duration.ofSeconds(3)))
        .isInstanceOf(InvalidArgumentException.class);
  }

  @Test
  void eachSettingIsKept() {
    RedisLeaseOptions options =
        OPTIONS
            .withPrefix("shop")
            .withTimeout(Duration.ofMillis(300))
            .withMemory(Duration.ofHours(1))
            .withReplicas(2, Duration.ofMillis(50));
    assertThat(options)
        .isEqualTo(
            new RedisLeaseOptions(
                "shop", Duration.ofMillis(300), Duration.ofHours(1), 2, Duration.ofMillis(50)));
  }
}
