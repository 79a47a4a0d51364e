package dev.holdfast.webhook;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * One recorded attempt. Secrets of the call are redacted.
 *
 * @param number the attempt of the event, from 1; an attempt that was started and requeued has the
 *     number of the next one
 * @param at when it started, by the clock of the database
 * @param status the status of the response; null if there was none
 * @param error why it failed; null if it succeeded
 * @param excerpt the beginning of the response body; null if there was none
 * @param instance the name of the instance that made it
 * @param address the address that was connected to; null if there was none
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
