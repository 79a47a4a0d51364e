package dev.holdfast.webhook;

import dev.holdfast.event.EventId;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * An attempt that has ended and is to be kept.
 *
 * @param startedNanos when it began, by the clock of this JVM that only goes forward
 */
record NewAttempt(
    EventId event,
    int version,
    int number,
    long startedNanos,
    Duration duration,
    OptionalInt status,
    AttemptOutcome outcome,
    Optional<String> error,
    String excerpt,
    Optional<String> address) {}
