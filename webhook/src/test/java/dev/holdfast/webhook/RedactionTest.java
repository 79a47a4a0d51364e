package dev.holdfast.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is shown of a call, and what is hidden. */
class RedactionTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "Authorization",
        "X-Authorization",
        "X-Auth",
        "Cookie",
        "X-Session",
        "X-Api-Key",
        "Referer",
        "X-Hub-Signature-256",
        "Anything-Else"
      })
  void hidesHeadersThatAreNotKnownToBeHarmless(String name) {
    assertThat(Redaction.header(name, "value")).isEqualTo("[redacted]");
  }

  @ParameterizedTest
  @ValueSource(strings = {"Accept", "content-TYPE", "User-Agent", "X-Request-Id"})
  void showsHarmlessHeaders(String name) {
    assertThat(Redaction.header(name, "value")).isEqualTo("value");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"sig", "code", "jwt", "pwd", "session", "token", "anything", "%70age", "page[]"})
  void hidesUnknownParameters(String name) {
    assertThat(Redaction.url("https://x.test/a?page=1&" + name + "=a=b&limit=2"))
        .isEqualTo("https://x.test/a?page=1&" + name + "=[redacted]&limit=2");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "https://x.test/a",
        "https://x.test/a?",
        "https://x.test/a?page=1&Type=2&empty=&&v=",
      })
  void showsTheRest(String url) {
    assertThat(Redaction.url(url)).isEqualTo(url);
  }

  @ParameterizedTest
  @ValueSource(strings = {"[redacted]", "Bearer [redacted]", "a=%5Bredacted%5d", "[REDACTED]"})
  void knowsItsMask(String text) {
    assertThat(Redaction.isMasked(text)).isTrue();
    assertThat(Redaction.isMasked("redacted")).isFalse();
  }
}
