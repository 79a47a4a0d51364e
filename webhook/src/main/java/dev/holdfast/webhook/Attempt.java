package dev.holdfast.webhook;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * What happened when a call was made once. All of it is fit to be stored and shown: secrets of the
 * call are hidden, also where the target has repeated them.
 *
 * @param startedAt by this machine's clock, for display only
 * @param duration by a clock that only goes forward
 * @param address the address that was connected to, or the last that was tried
 * @param status what the target has answered, also where the rest of its answer failed
 * @param excerpt the beginning of the answer's body as safe text
 * @param error why it failed, in words; empty if and only if it succeeded
 */
public record Attempt(
    Instant startedAt,
    Duration duration,
    Optional<String> address,
    OptionalInt status,
    String excerpt,
    Optional<String> error,
    Verdict verdict) {

  public boolean succeeded() {
    return verdict instanceof Verdict.Success;
  }
}
