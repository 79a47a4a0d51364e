package dev.holdfast.web.access;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Optional;
import java.util.regex.Pattern;

/** Parses and hashes the text of a token. */
final class TokenText {
  static final String PREFIX = "hf_";
  static final int ID_LENGTH = 10;
  private static final Pattern FORM = Pattern.compile("hf_[a-z2-9]{10}_[A-Za-z0-9_-]{43}");

  private TokenText() {}

  /** The public part; empty if the text is not a token. */
  static Optional<String> id(String text) {
    return FORM.matcher(text).matches()
        ? Optional.of(text.substring(PREFIX.length(), PREFIX.length() + ID_LENGTH))
        : Optional.empty();
  }

  /** A plain hash is sufficient for 256 random bits. */
  static String hash(String text) {
    return HexFormat.of().formatHex(sha256(text));
  }

  /** Compares in constant time. */
  static boolean isSame(String left, String right) {
    return MessageDigest.isEqual(left.getBytes(UTF_8), right.getBytes(UTF_8));
  }

  /** The CSRF token of a session; the session cannot be derived from it. */
  static String csrf(String text) {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(sha256("csrf " + text));
  }

  private static byte[] sha256(String text) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(text.getBytes(UTF_8));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }
}
