package dev.holdfast.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ProblemTest {
  @Test
  void itsTextIsJsonWhateverIsInIt() {
    Problem problem =
        Problem.of(409, "a-code", "Tit\"le", "back\\slash\n\u0000 ž \ud83d\ude00 \ud83d </script>");
    assertThat(problem.json())
        .isEqualTo(
            "{\"type\":\"urn:holdfast:problem:a-code\",\"title\":\"Tit\\\"le\",\"status\":409,"
                + "\"detail\":\"back\\\\slash\\u000a\\u0000 ž \\ud83d\\ude00 \\ud83d"
                + " \\u003c/script>\"}");
  }

  @Test
  void secondsAreRoundedUp() {
    Problem problem = Problem.of(503, "a-code", "", "");
    assertThat(after(problem, Duration.ZERO)).isEqualTo("1");
    assertThat(after(problem, Duration.ofMillis(1))).isEqualTo("1");
    assertThat(after(problem, Duration.ofSeconds(29))).isEqualTo("29");
    assertThat(after(problem, Duration.ofMillis(29_001))).isEqualTo("30");
  }

  private static @Nullable String after(Problem problem, Duration time) {
    return problem.retryAfter(time).headers().get("Retry-After");
  }
}
