package dev.holdfast.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.InvalidArgumentException;
import java.time.Duration;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class SharedCacheBuilderTest {
  private static SharedCacheBuilder<String, String> cache() {
    return SharedCache.named("prices");
  }

  @Test
  void badSettingsAreRefusedAtOnce() {
    List<UnaryOperator<SharedCacheBuilder<String, String>>> bad =
        List.of(
            s -> s.freshFor(Duration.ZERO),
            s -> s.freshFor(Duration.ofDays(-1)),
            s -> s.freshFor(Duration.ofDays(1000)),
            s -> s.staleFor(Duration.ofMillis(-1)),
            s -> s.fallbackFor(Duration.ofMillis(-1)),
            s -> s.emptyFor(Duration.ofMillis(-1)),
            s -> s.errorsFor(Duration.ofHours(2)),
            s -> s.localFor(Duration.ZERO),
            s -> s.lease(Duration.ZERO),
            s -> s.patience(Duration.ofMillis(-1)),
            s -> s.storePatience(Duration.ZERO),
            s -> s.maxLoadTime(Duration.ofHours(2)),
            s -> s.jitter(0.6),
            s -> s.jitter(Double.NaN),
            s -> s.earlyRefresh(-1),
            s -> s.localSize(-1));
    for (UnaryOperator<SharedCacheBuilder<String, String>> setting : bad) {
      assertThatThrownBy(() -> setting.apply(cache()))
          .isInstanceOf(InvalidArgumentException.class)
          .hasMessageContaining("must be");
    }
  }

  @Test
  void namesAreShortAndPlain() {
    for (String name : List.of("", " ", "a:b", "a b", "x".repeat(101), "\u00e4")) {
      assertThatThrownBy(() -> SharedCache.named(name))
          .isInstanceOf(InvalidArgumentException.class)
          .hasMessageContaining("1 to 100 letters");
    }
  }

  @Test
  void aCacheWithoutACodecIsRefused() {
    assertThatThrownBy(() -> cache().codec())
        .isInstanceOf(InvalidArgumentException.class)
        .hasMessageContaining("values(JacksonCodecs.of(…))");
  }

  @Test
  void jitterShortensTheTimeByAtMostItsPart() {
    CacheSettings settings = cache().freshFor(Duration.ofSeconds(100)).jitter(0.2).settings();
    List<Duration> times = Stream.generate(settings::jittered).limit(1000).toList();

    assertThat(times)
        .allSatisfy(
            time -> assertThat(time).isBetween(Duration.ofSeconds(80), Duration.ofSeconds(100)));
    assertThat(times).doesNotHaveDuplicates();
    assertThat(cache().jitter(0).settings().jittered()).isEqualTo(Duration.ofMinutes(5));
  }
}
