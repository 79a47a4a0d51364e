package dev.holdfast.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.client.WebhookSecret;
import dev.holdfast.client.WebhookSigner;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;

/** What the tests of the sender have in common: a sender that may reach this machine. */
abstract class SenderTest {
  static final WebhookSecret SECRET = WebhookSecret.generate();

  /** Short enough not to wait for, long enough for a machine that is busy. */
  static final Duration SHORT = Duration.ofSeconds(2);

  private WebhookSender sender = WebhookSender.open(settings());

  @AfterEach
  void closeSender() {
    sender.close();
  }

  /** Names end in .test and are all this machine. */
  static SenderOptions settings() {
    return SenderOptions.ofDefaults()
        .guard(AddressGuard.ofDefaults().allow("127.0.0.1"))
        .resolver(name -> Addresses.of("127.0.0.1"));
  }

  final WebhookSender sender() {
    return sender;
  }

  final WebhookSender sender(SenderOptions other) {
    sender.close();
    sender = WebhookSender.open(other);
    return sender;
  }

  static Delivery delivery() {
    return new Delivery("evt_1", 1, 7, WebhookSigner.of(SECRET));
  }

  static WebhookCall call(String url) {
    return WebhookCall.to(url).body("{}".getBytes(StandardCharsets.UTF_8));
  }

  final Attempt send(String url) {
    return send(call(url));
  }

  final Attempt send(WebhookCall call) {
    return sender.send(call, delivery()).orTimeout(20, TimeUnit.SECONDS).join();
  }

  static void assertRetry(Attempt attempt, String error) {
    assertThat(attempt.error()).hasValue(error);
    assertThat(attempt.result()).isInstanceOf(Attempt.Result.Retry.class);
  }

  static void assertEnd(Attempt attempt, String error) {
    assertThat(attempt.error()).hasValue(error);
    assertThat(attempt.result()).isInstanceOf(Attempt.Result.Fail.class);
  }
}
