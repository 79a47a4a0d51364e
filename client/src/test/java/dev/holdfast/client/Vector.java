package dev.holdfast.client;

import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;

/** The test vector that the repository of the Standard Webhooks specification publishes. */
final class Vector {
  static final WebhookSecret SECRET = WebhookSecret.of("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
  static final String ID = "msg_p5jXN8AQM9LWM0D4loKWxJek";
  static final Instant TIME = Instant.ofEpochSecond(1_614_265_330);
  static final String TIMESTAMP = "1614265330";
  static final String SIGNATURE = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";

  private Vector() {}

  static byte[] body() {
    return "{\"test\": 2432232314}".getBytes(StandardCharsets.UTF_8);
  }

  static WebhookVerifier verifierAt(Instant now) {
    return WebhookVerifier.of(SECRET).clock(Clock.fixed(now, ZoneOffset.UTC));
  }
}
