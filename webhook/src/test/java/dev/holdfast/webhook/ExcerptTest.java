package dev.holdfast.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ExcerptTest {
  @Test
  void isTheBeginningOfTheText() {
    assertThat(excerpt(100, "grüße\n\tYou")).isEqualTo("grüße\n\tYou");
    assertThat(excerpt(4, "abcdefgh")).isEqualTo("abcd");
    assertThat(excerpt(0, "abcdefgh")).isEmpty();
    assertThat(excerpt(4, "")).isEmpty();
  }

  @Test
  void hasNothingThatActsOnATerminalOrAReader() {
    assertThat(excerpt(200, "a long enough text: \u001b[31mred \u202eevil \u200bgap \u2028 \u0007"))
        .isEqualTo("a long enough text: \uFFFD[31mred \uFFFDevil \uFFFDgap \uFFFD \uFFFD");
  }

  @Test
  void isNoBrokenTextWhereItIsCut() {
    String smile = "😀😀😀";
    assertThat(excerpt(3, smile + smile)).doesNotContain("\ud83d");
    for (int limit = 0; limit < 13; limit++) {
      String text = excerpt(limit, smile);
      assertThat(new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8))
          .isEqualTo(text);
    }
  }

  @Test
  void showsBinaryAsSuch() {
    assertThat(excerpt(100, "\u0089PNG\0\0")).isEqualTo("[binary, 7 bytes]");
    byte[] noise = new byte[10_000];
    new Random(1).nextBytes(noise);
    Excerpt excerpt = new Excerpt(100, List.of());
    excerpt.add(ByteBuffer.wrap(noise));
    assertThat(excerpt.text(null)).isEqualTo("[binary, more than 100 bytes]");
  }

  @Test
  void hidesSecretsAlsoWhereItIsCut() {
    List<String> secrets = List.of("Bearer t0psecret", "t0psecret");
    String text = "you sent Bearer t0psecret and t0psecret";
    for (int limit = 0; limit < 60; limit++) {
      Excerpt excerpt = new Excerpt(limit, secrets);
      // in pieces, as it comes from a network
      for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
        excerpt.add(ByteBuffer.wrap(new byte[] {b}));
      }
      assertThat(excerpt.text(null)).doesNotContain("t0p").doesNotContain("Bear");
    }
    Excerpt whole = new Excerpt(60, secrets);
    whole.add(ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)));
    assertThat(whole.text(null)).isEqualTo("you sent [redacted] and [redacted]");
  }

  @Test
  void knowsTheSecretsOfACall() {
    WebhookCall call =
        WebhookCall.to("https://x.test/?token=querysecret&sort=plainvalue")
            .header("Authorization", "Bearer abcdefgh")
            .header("Cookie", "sid=12345678; x=y")
            .header("Accept", "plainvalue");
    assertThat(Redaction.secretsOf(call))
        .contains("Bearer abcdefgh", "abcdefgh", "12345678", "querysecret")
        .doesNotContain("plainvalue", "sid", "x", "y", "");
  }

  private static String excerpt(int limit, String body) {
    Excerpt excerpt = new Excerpt(limit, List.of());
    excerpt.add(ByteBuffer.wrap(body.getBytes(StandardCharsets.UTF_8)));
    return excerpt.text(null);
  }
}
