package dev.holdfast.web.stats;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ErrorGroupsTest {
  @Test
  void groupsErrorsIgnoringNumbers() {
    assertThat(ErrorGroups.like("no response within 15000 ms from 10.0.0.7:8443"))
        .isEqualTo(ErrorGroups.like("no response within 200 ms from 10.0.0.19:80"))
        .isEqualTo("no response within … ms from …");
    assertThat(ErrorGroups.like("order 6f1c2b3a-0000-4000-8000-0123456789ab is gone"))
        .isEqualTo("order … is gone");
    assertThat(ErrorGroups.like("block deadbeef99 is bad")).isEqualTo("block … is bad");
  }

  @Test
  void theStatusOfAnAnswerDoes() {
    assertThat(ErrorGroups.like("the target responded with 503"))
        .isEqualTo("the target responded with 503");
    assertThat(ErrorGroups.like("HTTP 404 after 3 attempts"))
        .isEqualTo("HTTP 404 after … attempts");
  }

  @Test
  void onlyTheFirstLineCountsAndNothingIsSaid() {
    assertThat(ErrorGroups.like("java.io.IOException: no\n\tat a.b(C.java:12)"))
        .isEqualTo("java.io.IOException: no");
    assertThat(ErrorGroups.like("")).isEqualTo("unknown error");
  }
}
