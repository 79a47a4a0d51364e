package dev.holdfast.idempotency;

import dev.holdfast.internal.Excerpt;
import dev.holdfast.internal.StoredText;
import java.io.Serializable;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/**
 * Identifies a request: the key that the client chose, within an operation, a principal and a
 * tenant. The same key in another operation, principal or tenant is another request, so a client
 * never gets the result of another client.
 *
 * <p>No part may contain control characters or unpaired surrogates. Immutable and thread-safe.
 *
 * @param tenant the tenant whose data the request is about, up to 200 characters; empty if there
 *     are no tenants
 * @param principal the sender, up to 200 characters; empty if it does not matter
 * @param operation what is requested, such as {@code POST /orders}, from 1 to 200 characters
 * @param key the key that the client chose, from 1 to 255 characters
 */
public record IdempotencyKey(String tenant, String principal, String operation, String key)
    implements Serializable {
  private static final long serialVersionUID = 1L;

  private static final int MAX_PART_LENGTH = 200;
  private static final int MAX_KEY_LENGTH = 255;

  public IdempotencyKey {
    StoredText.require(tenant, 0, MAX_PART_LENGTH, "the tenant of an idempotency key");
    StoredText.require(principal, 0, MAX_PART_LENGTH, "the principal of an idempotency key");
    StoredText.require(operation, 1, MAX_PART_LENGTH, "the operation of an idempotency key");
    StoredText.require(key, 1, MAX_KEY_LENGTH, "an idempotency key");
  }

  /** A key without tenant and principal. */
  public static IdempotencyKey of(String operation, String key) {
    return new IdempotencyKey("", "", operation, key);
  }

  /** The same key of this tenant. The name must not be empty. */
  public IdempotencyKey tenant(String tenant) {
    StoredText.require(tenant, 1, MAX_PART_LENGTH, "the tenant of an idempotency key");
    return new IdempotencyKey(tenant, principal, operation, key);
  }

  /**
   * The same key of this principal. The name must not be empty: all unknown senders would share
   * their keys.
   */
  public IdempotencyKey principal(String principal) {
    StoredText.require(principal, 1, MAX_PART_LENGTH, "the principal of an idempotency key");
    return new IdempotencyKey(tenant, principal, operation, key);
  }

  /** A hash of 32 bytes, by which stores find a record. Not for applications. */
  public byte[] digest() {
    MessageDigest digest = sha256();
    for (String part : new String[] {tenant, principal, operation, key}) {
      byte[] bytes = part.getBytes(StandardCharsets.UTF_8);
      digest.update(ByteBuffer.allocate(4).putInt(0, bytes.length));
      digest.update(bytes);
    }
    return digest.digest();
  }

  static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }

  @Override
  public String toString() {
    return Excerpt.quoted(key)
        + " of "
        + Excerpt.quoted(operation)
        + (principal.isEmpty() ? "" : " by " + Excerpt.quoted(principal))
        + (tenant.isEmpty() ? "" : " in " + Excerpt.quoted(tenant));
  }
}
