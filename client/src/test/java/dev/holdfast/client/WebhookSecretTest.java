package dev.holdfast.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Base64;
import org.junit.jupiter.api.Test;

class WebhookSecretTest {
  @Test
  void isReadBackFromWhatItReveals() {
    WebhookSecret secret = WebhookSecret.generate();
    assertThat(secret.reveal()).startsWith("whsec_").hasSize(6 + 44);
    assertThat(WebhookSecret.of(secret.reveal())).isEqualTo(secret).hasSameHashCodeAs(secret);
  }

  @Test
  void isReadWithoutItsPrefixToo() {
    assertThat(WebhookSecret.of("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")).isEqualTo(Vector.SECRET);
  }

  @Test
  void isAnotherEachTime() {
    assertThat(WebhookSecret.generate()).isNotEqualTo(WebhookSecret.generate());
  }

  @Test
  void isNotShownByToString() {
    assertThat(Vector.SECRET.toString()).isEqualTo("WebhookSecret[hidden]");
    assertThat(WebhookSigner.of(Vector.SECRET).toString()).isEqualTo("WebhookSigner[1 secret]");
  }

  @Test
  void hasFrom24To64Bytes() {
    for (int length : new int[] {24, 32, 64}) {
      assertThat(WebhookSecret.of(ofBytes(length)).reveal()).isEqualTo(ofBytes(length));
    }
    for (int length : new int[] {0, 1, 23, 65, 1000}) {
      assertThatThrownBy(() -> WebhookSecret.of(ofBytes(length)))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("a webhook secret must have from 24 to 64 bytes, had " + length);
    }
  }

  @Test
  void isNotShownByItsErrorsEither() {
    assertThatThrownBy(() -> WebhookSecret.of("whsec_MfKQ9r8GKYqrTwjUPD8!LPZIo2LaLaSw"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasNoCause()
        .hasMessage(
            "a webhook secret must be whsec_ followed by base64,"
                + " was something else of 38 characters");
  }

  private static String ofBytes(int length) {
    return "whsec_" + Base64.getEncoder().encodeToString(new byte[length]);
  }
}
