package dev.holdfast.client;

import java.nio.charset.StandardCharsets;
import java.util.Base64;

/** What Standard Webhooks signs: {@code id.timestamp.body}, of the raw bytes of the body. */
final class SignedContent {
  static final String VERSION = "v1,";

  private final byte[] prefix;
  private final byte[] body;

  SignedContent(String id, String timestamp, byte[] body) {
    this.prefix = (id + '.' + timestamp + '.').getBytes(StandardCharsets.UTF_8);
    this.body = body;
  }

  String signature(WebhookSecret secret) {
    return VERSION + Base64.getEncoder().encodeToString(secret.hmac(prefix, body));
  }
}
