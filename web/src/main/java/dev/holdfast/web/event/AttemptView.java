package dev.holdfast.web.event;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * One attempt to handle an event, as the API shows it.
 *
 * @param status of the answer, null where there was none
 * @param outcome {@code DONE}, {@code RETRY}, {@code FAILED} or {@code CANCELLED}
 * @param excerpt the beginning of the answer
 * @param address that was called
 */
public record AttemptView(
    int number,
    Instant at,
    Duration duration,
    @Nullable Integer status,
    String outcome,
    @Nullable String error,
    @Nullable String excerpt,
    @Nullable String instance,
    @Nullable String address) {}
