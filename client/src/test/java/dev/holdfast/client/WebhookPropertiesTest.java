package dev.holdfast.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What holds of every webhook, tried on many. */
class WebhookPropertiesTest {
  private static final String ID_CHARACTERS =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-:/";

  private final Random random = new Random(20_261_115);

  @Test
  void whatIsSignedIsAccepted() throws InvalidWebhookException {
    for (int i = 0; i < 500; i++) {
      Sent sent = anySent();
      assertThat(sent.verify()).isEqualTo(new VerifiedWebhook(sent.id, sent.time));
    }
  }

  @Test
  void anyChangedBitOfTheBodyIsRefused() {
    Sent sent = anySent();
    for (int bit = 0; bit < sent.body.length * 8; bit++) {
      byte[] changed = sent.body.clone();
      changed[bit / 8] ^= (byte) (1 << (bit % 8));
      refused(sent.withBody(changed));
    }
    refused(sent.withBody(Arrays.copyOf(sent.body, sent.body.length + 1)));
    refused(sent.withBody(Arrays.copyOf(sent.body, sent.body.length - 1)));
  }

  @Test
  void anyChangedCharacterOfIdTimeAndSignatureIsRefused() {
    for (int round = 0; round < 50; round++) {
      Sent sent = anySent();
      for (String changed : changes(sent.id)) {
        refused(
            new Sent(sent.secret, changed, sent.time, sent.timestamp, sent.signature, sent.body));
      }
      for (String changed : changes(sent.timestamp)) {
        refused(new Sent(sent.secret, sent.id, sent.time, changed, sent.signature, sent.body));
      }
      for (String changed : changes(sent.signature)) {
        refused(new Sent(sent.secret, sent.id, sent.time, sent.timestamp, changed, sent.body));
      }
    }
  }

  @Test
  void anotherSecretIsRefused() {
    for (int i = 0; i < 200; i++) {
      Sent sent = anySent();
      refused(
          new Sent(
              WebhookSecret.generate(),
              sent.id,
              sent.time,
              sent.timestamp,
              sent.signature,
              sent.body));
    }
  }

  @Test
  void aBorderMovedBetweenIdTimeAndBodyIsRefused() {
    // "a.1.2.x" must not be readable both as (a, 1, "2.x") and as (a.1, 2, "x")
    WebhookSigner signer = WebhookSigner.of(Vector.SECRET);
    byte[] longer = "1614265330.x".getBytes(StandardCharsets.UTF_8);
    byte[] shorter = "x".getBytes(StandardCharsets.UTF_8);
    String signature = signer.sign("a", Vector.TIME, longer);
    refused(
        new Sent(Vector.SECRET, "a.1614265330", Vector.TIME, Vector.TIMESTAMP, signature, shorter));
  }

  @Test
  void garbageIsRefusedAndThrowsNothingElse() {
    for (int i = 0; i < 20_000; i++) {
      Map<String, List<String>> headers = new HashMap<>();
      for (String name : WebhookVerifierTest.vectorHeaders().keySet()) {
        if (random.nextInt(10) > 0) {
          List<String> values = new ArrayList<>();
          for (int n = random.nextInt(3); n >= 0; n--) {
            values.add(garbage(name));
          }
          headers.put(name, values);
        }
      }
      assertThatExceptionOfType(InvalidWebhookException.class)
          .isThrownBy(
              () -> Vector.verifierAt(Vector.TIME).verify(headers, new byte[random.nextInt(9)]));
    }
  }

  private String garbage(String name) {
    return switch (random.nextInt(4)) {
      case 0 -> WebhookVerifierTest.vectorHeaders().getOrDefault(name, List.of()).get(0);
      case 1 -> "v1," + characters(random.nextInt(60));
      case 2 -> Long.toString(random.nextLong());
      default -> characters(random.nextInt(40));
    };
  }

  private String characters(int length) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < length; i++) {
      text.append((char) random.nextInt(random.nextBoolean() ? 128 : 0x10000));
    }
    return text.toString();
  }

  private List<String> changes(String text) {
    List<String> changes = new ArrayList<>();
    for (int i = 0; i < text.length(); i++) {
      char other;
      do {
        other = (char) (32 + random.nextInt(96));
      } while (other == text.charAt(i));
      changes.add(text.substring(0, i) + other + text.substring(i + 1));
      changes.add(text.substring(0, i) + text.substring(i + 1));
    }
    changes.add(text + "0");
    changes.add("0" + text);
    return changes;
  }

  private static void refused(Sent sent) {
    assertThatExceptionOfType(InvalidWebhookException.class).isThrownBy(sent::verify);
  }

  private Sent anySent() {
    WebhookSecret secret = WebhookSecret.generate();
    StringBuilder id = new StringBuilder();
    for (int n = random.nextInt(40); n >= 0; n--) {
      id.append(ID_CHARACTERS.charAt(random.nextInt(ID_CHARACTERS.length())));
    }
    Instant time = Instant.ofEpochSecond(1_000_000_000L + random.nextInt(2_000_000_000));
    byte[] body = new byte[1 + random.nextInt(100)];
    random.nextBytes(body);
    String signature = WebhookSigner.of(secret).sign(id.toString(), time, body);
    return new Sent(
        secret, id.toString(), time, Long.toString(time.getEpochSecond()), signature, body);
  }

  /** A webhook on its way; the receiver's clock agrees with the sender's. */
  private static final class Sent {
    final WebhookSecret secret;
    final String id;
    final Instant time;
    final String timestamp;
    final String signature;
    final byte[] body;

    Sent(
        WebhookSecret secret,
        String id,
        Instant time,
        String timestamp,
        String signature,
        byte[] body) {
      this.secret = secret;
      this.id = id;
      this.time = time;
      this.timestamp = timestamp;
      this.signature = signature;
      this.body = body;
    }

    Sent withBody(byte[] other) {
      return new Sent(secret, id, time, timestamp, signature, other);
    }

    VerifiedWebhook verify() throws InvalidWebhookException {
      return WebhookVerifier.of(secret)
          .clock(Clock.fixed(time, ZoneOffset.UTC))
          .verify(id, timestamp, signature, body);
    }
  }
}
