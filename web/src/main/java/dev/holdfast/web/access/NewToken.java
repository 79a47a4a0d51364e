package dev.holdfast.web.access;

import java.security.SecureRandom;
import java.util.Base64;

/**
 * A new token with its text, which is not stored. Immutable.
 *
 * @param text {@code hf_}, a public part, and 256 random bits
 */
public record NewToken(String text, TokenRecord record) {
  private static final SecureRandom RANDOM = new SecureRandom();
  private static final String LETTERS = "abcdefghijkmnpqrstuvwxyz23456789";
  private static final int SECRET_BYTES = 32;

  static String randomId() {
    StringBuilder id = new StringBuilder();
    for (int i = 0; i < TokenText.ID_LENGTH; i++) {
      id.append(LETTERS.charAt(RANDOM.nextInt(LETTERS.length())));
    }
    return id.toString();
  }

  static String text(String id) {
    byte[] secret = new byte[SECRET_BYTES];
    RANDOM.nextBytes(secret);
    return TokenText.PREFIX
        + id
        + "_"
        + Base64.getUrlEncoder().withoutPadding().encodeToString(secret);
  }

  /** Without its secret. */
  @Override
  public String toString() {
    return "token " + record.id();
  }
}
