package dev.holdfast.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.holdfast.idempotency.IdempotencyKey;
import java.util.Base64;

/**
 * The keys of idempotency records in Redis: {@code prefix:idempotency:{digest}} is the one key of a
 * record. Flows are apart from it, all in another slot: {@code prefix:idempotency:{flows}} has
 * their names, and the scripts add a name to its end for the entries of that flow.
 */
final class RecordKeys {
  /** No digest is so short. */
  private static final String FLOWS = "flows";

  private final String prefix;

  RecordKeys(String prefix) {
    this.prefix = prefix + ":idempotency:";
  }

  byte[] state(IdempotencyKey key) {
    return key(Base64.getUrlEncoder().withoutPadding().encodeToString(key.digest()));
  }

  byte[] flows() {
    return key(FLOWS);
  }

  private byte[] key(String hashed) {
    return (prefix + "{" + hashed + "}").getBytes(UTF_8);
  }
}
