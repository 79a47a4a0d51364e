package dev.holdfast.idempotency;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** What became of beginning a request, before its work is done. */
public sealed interface Begun<R> {
  /** It is new: do its work, and tell the record how it ended. */
  record Open<R>(R record) implements Begun<R> {}

  /**
   * It was done before.
   *
   * @param reply what was answered
   * @param refused whether that was a refusal
   */
  @SuppressWarnings("ArrayRecordComponent") // each is equal to itself only
  record Replayed<R>(byte[] reply, boolean refused) implements Begun<R> {
    @Override
    public boolean equals(Object other) {
      return this == other;
    }

    @Override
    public int hashCode() {
      return System.identityHashCode(this);
    }

    @Override
    public String toString() {
      return "Replayed[" + reply.length + " bytes" + (refused ? ", refused]" : "]");
    }
  }

  /**
   * Another one with this key is at work.
   *
   * @param since when that began, by the clock of the store; null where only its transaction knows
   * @param retryAfter when it is worth to ask again
   */
  record InProgress<R>(@Nullable Instant since, Duration retryAfter) implements Begun<R> {}

  /** The key was used with another payload. */
  record Mismatch<R>() implements Begun<R> {}
}
