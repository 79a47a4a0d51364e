package dev.holdfast.race.internal.run;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class PollingDetectorTest {
  private final PollingDetector polling = new PollingDetector();

  @Test
  void repeatedResultsArePolling() {
    ask(4, "free?", "commit");
    assertThat(polling.waits()).isFalse();
    ask(1, "free?", "commit");
    assertThat(polling.waits()).isTrue();
  }

  @Test
  void pollsAgainAfterOtherActor() {
    ask(5, "free?", "commit");
    polling.anotherGoes();
    assertThat(polling.waits()).isFalse();
    ask(1, "free?", "commit");
    assertThat(polling.waits()).isTrue();
  }

  @Test
  void anotherAnswerEndsTheWait() {
    ask(5, "free? no");
    polling.anotherGoes();
    ask(1, "free? yes");
    assertThat(polling.waits()).isFalse();
    ask(1, "free? no");
    assertThat(polling.waits()).isFalse();
  }

  @Test
  void changingActorIsNotPolling() {
    ask(4, "free?");
    polling.changed();
    ask(4, "free?");
    assertThat(polling.waits()).isFalse();
  }

  private void ask(int times, String... steps) {
    for (int i = 0; i < times; i++) {
      for (String step : steps) {
        polling.heard(step);
      }
    }
  }
}
