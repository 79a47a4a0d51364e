package dev.holdfast.idempotency;

import dev.holdfast.internal.Require;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.HexFormat;

/**
 * The SHA-256 hash of a payload. A request with a known key and another fingerprint is rejected as
 * a reuse of the key. Immutable and thread-safe.
 */
public final class Fingerprint {
  private static final int BYTES = 32;
  private static final Fingerprint NONE = new Fingerprint(new byte[BYTES]);

  private final byte[] sha256;

  private Fingerprint(byte[] sha256) {
    this.sha256 = sha256;
  }

  /** For keys that stand for one payload only, such as the id of a message. */
  public static Fingerprint none() {
    return NONE;
  }

  /**
   * The fingerprint of these texts, in this order. {@code "ab", "c"} differs from {@code "abc"}.
   */
  public static Fingerprint of(String... parts) {
    Require.notNull(parts, "the parts of a fingerprint");
    byte[][] bytes = new byte[parts.length][];
    for (int i = 0; i < parts.length; i++) {
      bytes[i] =
          Require.notNull(parts[i], "a part of a fingerprint").getBytes(StandardCharsets.UTF_8);
    }
    return of(bytes);
  }

  /** The fingerprint of these arrays, in this order. */
  public static Fingerprint of(byte[]... parts) {
    Require.notNull(parts, "the parts of a fingerprint");
    MessageDigest digest = IdempotencyKey.sha256();
    for (byte[] part : parts) {
      Require.notNull(part, "a part of a fingerprint");
      digest.update(ByteBuffer.allocate(4).putInt(0, part.length));
      digest.update(part);
    }
    return new Fingerprint(digest.digest());
  }

  /** A fingerprint from its 32 bytes. */
  public static Fingerprint ofSha256(byte[] sha256) {
    Require.notNull(sha256, "the bytes of a fingerprint");
    Require.that(
        sha256.length == BYTES, () -> "a fingerprint must have 32 bytes, had " + sha256.length);
    return new Fingerprint(sha256.clone());
  }

  /** The 32 bytes. */
  public byte[] sha256() {
    return sha256.clone();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Fingerprint that && Arrays.equals(sha256, that.sha256);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(sha256);
  }

  @Override
  public String toString() {
    return HexFormat.of().formatHex(sha256);
  }
}
