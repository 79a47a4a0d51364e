package dev.holdfast.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ProblemTest {
  @Test
  void itsTextIsJsonWhateverIsInIt() {
    Problem problem =
        Problem.of(409, "a-code", "Tit\"le", "back\\slash\n\u0000 ž \ud83d\ude00 \ud83d </script>");
    assertThat(problem.toJson())
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

  @Test
  void certainRollbackIsNotRetryable() {
    assertThat(rolledBack(new IllegalStateException("marked as rollback-only"))).isTrue();
    for (String state : List.of("23505", "23503", "23514", "23502", "25P02")) {
      assertThat(rolledBack(new IllegalStateException(new SQLException("", state)))).isTrue();
    }
  }

  @Test
  void whatMayPassOrIsNotKnownIsToBeRepeated() {
    assertThat(rolledBack(null)).isFalse();
    assertThat(rolledBack(new SQLException("nobody knows"))).isFalse();
    assertThat(rolledBack(new SQLException("a deadlock", "40P01"))).isFalse();
    assertThat(rolledBack(new SQLException("the connection is lost", "08006"))).isFalse();
  }

  private static boolean rolledBack(@Nullable Throwable why) {
    Problem problem = Problems.commitUnknown(why);
    boolean certain = problem.toJson().contains("idempotency-rolled-back");
    assertThat(problem.headers().containsKey("Retry-After")).isNotEqualTo(certain);
    return certain;
  }

  private static @Nullable String after(Problem problem, Duration time) {
    return problem.retryAfter(time).headers().get("Retry-After");
  }
}
