package dev.holdfast.webhook;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * One attempt to make the call of an event, as it is kept. Secrets of the call are hidden in it.
 *
 * @param number which attempt of the event it was, the first being 1; those that an instance has
 *     begun and given back have the number of the one after them
 * @param at when it began, by the clock of the database
 * @param status what the target has answered; null where there was no answer
 * @param error why it failed; null where it did not
 * @param excerpt the beginning of the answer's body; null where there was none
 * @param instance the name of the instance that made it
 * @param address the address that was connected to; null where none was
 */
public record AttemptRecord(
    int number,
    Instant at,
    Duration duration,
    @Nullable Integer status,
    AttemptOutcome outcome,
    @Nullable String error,
    @Nullable String excerpt,
    @Nullable String instance,
    @Nullable String address) {}
