package dev.holdfast.internal.event.store;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A claimed event that is to be pending again: conditional on its version.
 *
 * @param at when it is due; where this and {@code after} are null, when it was due before
 * @param attemptCounts whether the attempt that ends here was one
 */
public record Requeue(
    long id,
    int version,
    @Nullable Instant at,
    @Nullable Duration after,
    boolean attemptCounts,
    @Nullable String error) {
  public Requeue {
    error = StoredErrorText.of(error);
  }

  /** Whether it comes from the handler, which has lived to say so, not from being given back. */
  boolean isOutcome() {
    return attemptCounts || at != null || after != null;
  }
}
