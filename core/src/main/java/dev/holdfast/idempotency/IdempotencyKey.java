package dev.holdfast.idempotency;

import dev.holdfast.internal.Excerpt;
import dev.holdfast.internal.Require;
import java.io.Serializable;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/**
 * What names a request: the key that its sender chose, within an operation, a principal and a
 * tenant. The same key of another operation, principal or tenant is another one: nobody is answered
 * with what was answered to somebody else.
 *
 * <p>No part may have control characters or single surrogates. Immutable and thread-safe.
 *
 * @param tenant whose data it is about, up to 200 characters; empty where there are no tenants
 * @param principal who sent it, up to 200 characters; empty where it does not matter
 * @param operation what is asked for, such as {@code POST /orders}, from 1 to 200 characters
 * @param key what its sender chose, from 1 to 255 characters
 */
public record IdempotencyKey(String tenant, String principal, String operation, String key)
    implements Serializable {
  private static final long serialVersionUID = 1L;

  private static final int LONGEST_PART = 200;
  private static final int LONGEST_KEY = 255;

  public IdempotencyKey {
    requireText(tenant, 0, LONGEST_PART, "the tenant of an idempotency key");
    requireText(principal, 0, LONGEST_PART, "the principal of an idempotency key");
    requireText(operation, 1, LONGEST_PART, "the operation of an idempotency key");
    requireText(key, 1, LONGEST_KEY, "an idempotency key");
  }

  /** Of no tenant and no principal in particular. */
  public static IdempotencyKey of(String operation, String key) {
    return new IdempotencyKey("", "", operation, key);
  }

  /** The same for this tenant, which has a name. */
  public IdempotencyKey tenant(String tenant) {
    requireText(tenant, 1, LONGEST_PART, "the tenant of an idempotency key");
    return new IdempotencyKey(tenant, principal, operation, key);
  }

  /**
   * The same for this principal, who has a name: where nobody is known, keys of all who are unknown
   * would be shared.
   */
  public IdempotencyKey principal(String principal) {
    requireText(principal, 1, LONGEST_PART, "the principal of an idempotency key");
    return new IdempotencyKey(tenant, principal, operation, key);
  }

  /** 32 bytes that are the same for equal keys only; by them stores find a record. */
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

  static void requireText(String text, int shortest, int longest, String name) {
    Require.notNull(text, name);
    Require.that(
        text.length() >= shortest && text.length() <= longest,
        () ->
            name
                + " must have from "
                + shortest
                + " to "
                + longest
                + " characters, had "
                + text.length()
                + (text.isEmpty() ? "" : ": " + Excerpt.quoted(text)));
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (Character.isHighSurrogate(c)
          && i + 1 < text.length()
          && Character.isLowSurrogate(text.charAt(i + 1))) {
        i++;
      } else if (Character.isISOControl(c) || Character.isSurrogate(c)) {
        int at = i;
        Require.that(
            false,
            () ->
                name
                    + " must have no control characters and no single surrogates, had U+"
                    + "%04X".formatted((int) c)
                    + " at "
                    + at);
      }
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
