package dev.holdfast.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.holdfast.idempotency.IdempotencyKey;
import java.util.Base64;

/**
 * The keys of idempotency records in Redis: {@code prefix:idempotency:{digest}} is the one key of a
 * record. The entries of workflows are in another slot: {@code prefix:idempotency:{workflows}} has
 * the names of the workflows, and {@code prefix:idempotency:{workflows}:name} the entries of one.
 */
final class RecordKeys {
  /** Shorter than any digest. */
  private static final String WORKFLOWS = "workflows";

  private final String prefix;

  RecordKeys(String prefix) {
    this.prefix = prefix + ":idempotency:";
  }

  byte[] record(IdempotencyKey key) {
    return key(Base64.getUrlEncoder().withoutPadding().encodeToString(key.digest()));
  }

  byte[] workflows() {
    return key(WORKFLOWS);
  }

  private byte[] key(String hashed) {
    return (prefix + "{" + hashed + "}").getBytes(UTF_8);
  }
}
