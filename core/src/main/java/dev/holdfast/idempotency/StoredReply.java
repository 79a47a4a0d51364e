package dev.holdfast.idempotency;

import dev.holdfast.internal.Require;
import java.util.Arrays;

/**
 * An answer as a store keeps it. Immutable: the bytes must not be changed.
 *
 * @param kind what the bytes are
 * @param bytes the answer, or where it is
 */
@SuppressWarnings("ArrayRecordComponent") // equal by content
public record StoredReply(Kind kind, byte[] bytes) {
  /** What was kept of an answer. */
  public enum Kind {
    /** The answer of work that took effect. */
    ANSWER,
    /** The answer of work that refused to take effect. */
    REFUSAL,
    /** Where a {@link ReplyVault} has the answer. */
    REFERENCE,
    /** Nothing: it took effect, but its answer was too large. The bytes tell its size. */
    UNKEPT
  }

  public StoredReply {
    Require.notNull(kind, "kind");
    Require.notNull(bytes, "bytes");
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof StoredReply that
        && kind == that.kind
        && Arrays.equals(bytes, that.bytes);
  }

  @Override
  public int hashCode() {
    return 31 * kind.hashCode() + Arrays.hashCode(bytes);
  }

  @Override
  public String toString() {
    return kind + " of " + bytes.length + " bytes";
  }
}
