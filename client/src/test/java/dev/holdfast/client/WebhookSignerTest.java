package dev.holdfast.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import org.junit.jupiter.api.Test;

class WebhookSignerTest {
  private final WebhookSigner signer = WebhookSigner.of(Vector.SECRET);

  @Test
  void signsAsTheSpecificationDoes() {
    assertThat(signer.sign(Vector.ID, Vector.TIME, Vector.body())).isEqualTo(Vector.SIGNATURE);
  }

  @Test
  void signsWithBothWhileASecretIsReplaced() {
    WebhookSecret fresh = WebhookSecret.generate();
    String alone = WebhookSigner.of(fresh).sign(Vector.ID, Vector.TIME, Vector.body());
    assertThat(WebhookSigner.of(fresh, Vector.SECRET).sign(Vector.ID, Vector.TIME, Vector.body()))
        .isEqualTo(alone + " " + Vector.SIGNATURE);
  }

  @Test
  void refusesIdsThatCouldBeReadInTwoWays() {
    for (String id : new String[] {"", "a.b", "a b", "a\n", "ä", "x".repeat(257)}) {
      assertThatThrownBy(() -> signer.sign(id, Vector.TIME, Vector.body()))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageStartingWith("a webhook id must be");
    }
  }

  @Test
  void refusesTimesBefore1970() {
    assertThatThrownBy(() -> signer.sign("a", Instant.ofEpochSecond(-1), Vector.body()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("timestamp must not be before 1970, was 1969-12-31T23:59:59Z");
  }
}
