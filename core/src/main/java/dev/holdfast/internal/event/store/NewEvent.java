package dev.holdfast.internal.event.store;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * An event that is not stored yet.
 *
 * @param at when it is due; where both this and {@code after} are null, at once
 * @param tags with a space before, between and after them, or null where there are none
 */
public record NewEvent(
    String type,
    String queue,
    int priority,
    @Nullable Instant at,
    @Nullable Duration after,
    @Nullable Instant uselessAt,
    @Nullable String key,
    @Nullable String orderingKey,
    @Nullable String limitKey,
    @Nullable String tags,
    @Nullable String replayOf,
    StoredPayload payload) {}
