package dev.holdfast.internal.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.InvalidArgumentException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Settings of exclusive jobs that would skip runs or let them overlap are refused. */
class JobSettingsTest {
  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final Duration MINUTE = Duration.ofMinutes(1);

  private static void refused(Duration atMost, Duration atLeast, String advice) {
    assertThatThrownBy(() -> JobSettings.of("report", atMost, atLeast))
        .isInstanceOf(InvalidArgumentException.class)
        .hasMessageContaining("'report'")
        .hasMessageContaining(advice);
  }

  @Test
  void rejectsInvalidDuration() {
    refused(Duration.ZERO, SECOND, "Set a time longer than the longest run");
    refused(SECOND.negated(), SECOND, "was PT-1S");
    refused(Duration.ofDays(8), SECOND, "from PT0.1S to PT168H");
    refused(MINUTE, Duration.ZERO, "such as half of the interval");
    refused(MINUTE, SECOND.negated(), "was PT-1S");
  }

  @Test
  void aNameMayStayTakenForLongerThanARunLasts() {
    Duration half = Duration.ofHours(12);
    Duration eight = Duration.ofDays(8);

    assertThat(JobSettings.of("report", Duration.ofMinutes(30), half).minInterval())
        .isEqualTo(half);
    assertThat(JobSettings.of("report", Duration.ofDays(7), eight).minInterval()).isEqualTo(eight);
    refused(MINUTE, Duration.ofDays(366), "at most PT8760H, was PT8784H");
  }

  @Test
  void rejectsIntervalThatSkipsRuns() {
    JobSettings settings = JobSettings.of("report", MINUTE, MINUTE);

    assertThatThrownBy(() -> settings.requireInterval(MINUTE))
        .isInstanceOf(InvalidArgumentException.class)
        .hasMessageContaining("Every other run would be skipped. Set minInterval to PT30S");
    assertThatCode(() -> settings.requireInterval(MINUTE.plusMillis(1))).doesNotThrowAnyException();
  }

  @Test
  void rejectsInvalidInterval() {
    JobSettings settings = JobSettings.of("report", MINUTE, Duration.ofMillis(100));

    for (Duration interval :
        new Duration[] {
          Duration.ZERO, SECOND.negated(), Duration.ofMillis(199), Duration.ofDays(366)
        }) {
      assertThatThrownBy(() -> settings.requireInterval(interval))
          .isInstanceOf(InvalidArgumentException.class)
          .hasMessageContaining("use events and a worker");
    }
  }
}
