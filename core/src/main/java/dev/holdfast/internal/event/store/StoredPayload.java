package dev.holdfast.internal.event.store;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/** A payload as it is stored: text or bytes. */
@SuppressWarnings("ArrayRecordComponent") // carried from one place to another, never compared
public record StoredPayload(@Nullable String text, byte @Nullable [] bytes) {
  /** How much it is: characters or bytes. */
  public long size() {
    return (text == null ? 0L : text.length()) + (bytes == null ? 0L : bytes.length);
  }

  /** What tells whether two events of one key are the same: the type and the payload. */
  public String fingerprint(String type) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      digest.update(type.getBytes(StandardCharsets.UTF_8));
      digest.update((byte) (bytes == null ? 0 : 1));
      digest.update(bytes == null ? String.valueOf(text).getBytes(StandardCharsets.UTF_8) : bytes);
      return HexFormat.of().formatHex(digest.digest());
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }
}
