package dev.holdfast.idempotency;

import dev.holdfast.internal.Require;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * The record of an idempotency key, as it was read.
 *
 * @param status the state of the request
 * @param attempts how often the request was started
 * @param startedAt when the request was started for the first time, by the clock of the store
 * @param expiresAt until when the record is kept
 * @param workflow the name of its workflow; empty if it has none
 * @param steps the names of the recorded steps, in their order; empty once the request is completed
 * @param result the stored result; empty until the request is completed
 */
public record IdempotencyRecord(
    IdempotencyKey key,
    Fingerprint fingerprint,
    Status status,
    int attempts,
    Instant startedAt,
    Instant expiresAt,
    Optional<String> workflow,
    List<String> steps,
    Optional<StoredResult> result) {
  /** The state of the request of a record. */
  public enum Status {
    /** An instance has the lease of the request and works on it. */
    IN_PROGRESS,
    /** The request is not completed and no instance has its lease. The next attempt continues. */
    INTERRUPTED,
    /** The request is completed. */
    COMPLETED
  }

  /**
   * A result as it is stored. Immutable: the bytes must not be changed.
   *
   * @param kind what the bytes are
   * @param bytes the result, or where it is
   */
  @SuppressWarnings("ArrayRecordComponent") // equal by content
  public record StoredResult(Kind kind, byte[] bytes) {
    /** What the bytes of a stored result are. */
    public enum Kind {
      /** The result of work that took effect. */
      RESULT,
      /** The result of a rejection. */
      REJECTION,
      /** The name under which a {@link LargeResultStore} has it. */
      EXTERNAL,
      /** The size of a result that was too large to be stored. The work took effect. */
      TOO_LARGE;

      /** The number that stores keep. */
      public int code() {
        return switch (this) {
          case RESULT -> 0;
          case REJECTION -> 1;
          case EXTERNAL -> 2;
          case TOO_LARGE -> 3;
        };
      }

      /** The kind of a stored number. */
      public static Kind ofCode(int code) {
        return switch (code) {
          case 0 -> RESULT;
          case 1 -> REJECTION;
          case 2 -> EXTERNAL;
          case 3 -> TOO_LARGE;
          default -> throw new IllegalArgumentException("unknown kind of a stored result: " + code);
        };
      }
    }

    public StoredResult {
      Require.notNull(kind, "kind");
      Require.notNull(bytes, "bytes");
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof StoredResult that
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
}
