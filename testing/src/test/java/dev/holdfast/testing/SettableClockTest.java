package dev.holdfast.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import org.junit.jupiter.api.Test;

class SettableClockTest {

  private static final Instant NOON = Instant.parse("2026-03-29T12:00:00Z");

  private final SettableClock clock = new SettableClock(NOON);

  @Test
  void standsStillUntilItIsMoved() {
    assertThat(clock.instant()).isEqualTo(NOON).isEqualTo(clock.instant());
    assertThat(clock.getZone()).isEqualTo(ZoneOffset.UTC);
  }

  @Test
  void advancesByTheStep() {
    clock.advance(Duration.ofSeconds(90));

    assertThat(clock.instant()).isEqualTo(NOON.plusSeconds(90));
  }

  @Test
  void canBeSetBack() {
    clock.set(NOON.minusSeconds(1));

    assertThat(clock.instant()).isEqualTo(NOON.minusSeconds(1));
  }

  @Test
  void refusesToAdvanceBackwards() {
    assertThatThrownBy(() -> clock.advance(Duration.ofSeconds(-1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("PT-1S")
        .hasMessageContaining("set(Instant)");
    assertThat(clock.instant()).isEqualTo(NOON);
  }

  @Test
  void aClockOfAnotherZoneMovesWithIt() {
    Clock madrid = clock.withZone(ZoneId.of("Europe/Madrid"));
    clock.advance(Duration.ofHours(1));

    assertThat(LocalDateTime.now(madrid)).isEqualTo(LocalDateTime.parse("2026-03-29T15:00:00"));
  }

  @Test
  void noStepIsLostWhenManyThreadsAdvanceIt() {
    ConcurrentActors.run(
            8,
            index -> {
              for (int step = 0; step < 10_000; step++) {
                clock.advance(Duration.ofMillis(1));
              }
              return index;
            })
        .resultsOrThrow();

    assertThat(clock.instant()).isEqualTo(NOON.plusSeconds(80));
  }
}
