package dev.holdfast.client;

import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Base64;
import java.util.Objects;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * The key that a sender of webhooks shares with one receiver, as Standard Webhooks 1.0 has it: 24
 * to 64 random bytes, written {@code whsec_<base64>}.
 *
 * <p>It is shown by {@link #reveal()} and by nothing else: {@code toString} hides it, and it cannot
 * be serialized. Immutable and thread-safe.
 */
public final class WebhookSecret {
  private static final String PREFIX = "whsec_";
  private static final int MIN_BYTES = 24;
  private static final int MAX_BYTES = 64;
  private static final int GENERATED_BYTES = 32;
  private static final String ALGORITHM = "HmacSHA256";

  private final byte[] key;

  private WebhookSecret(byte[] key) {
    this.key = key;
  }

  /**
   * The secret that this text writes.
   *
   * @param text {@code whsec_<base64>}, or the base64 alone
   * @throws IllegalArgumentException if it is not base64, or not of 24 to 64 bytes; the message
   *     does not show the text
   */
  public static WebhookSecret of(String text) {
    Objects.requireNonNull(text, "text");
    byte[] key;
    try {
      key =
          Base64.getDecoder()
              .decode(text.startsWith(PREFIX) ? text.substring(PREFIX.length()) : text);
    } catch (IllegalArgumentException notBase64) {
      // without its cause, which would show a part of the secret
      throw new IllegalArgumentException(
          "a webhook secret must be whsec_ followed by base64, was something else of "
              + text.length()
              + " characters");
    }
    if (key.length < MIN_BYTES || key.length > MAX_BYTES) {
      throw new IllegalArgumentException(
          "a webhook secret must have from 24 to 64 bytes, had " + key.length);
    }
    return new WebhookSecret(key);
  }

  /** A new random secret of 32 bytes. */
  public static WebhookSecret generate() {
    byte[] key = new byte[GENERATED_BYTES];
    new SecureRandom().nextBytes(key);
    return new WebhookSecret(key);
  }

  /** The secret in clear, {@code whsec_<base64>}: to be stored safely and given to the receiver. */
  public String reveal() {
    return PREFIX + Base64.getEncoder().encodeToString(key);
  }

  byte[] hmac(byte[] prefix, byte[] body) {
    try {
      Mac mac = Mac.getInstance(ALGORITHM);
      mac.init(new SecretKeySpec(key, ALGORITHM));
      mac.update(prefix);
      return mac.doFinal(body);
    } catch (GeneralSecurityException missing) {
      throw new IllegalStateException("every JDK must have " + ALGORITHM, missing);
    }
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof WebhookSecret that && MessageDigest.isEqual(key, that.key);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(key);
  }

  @Override
  public String toString() {
    return "WebhookSecret[hidden]";
  }
}
