package dev.holdfast.event;

import java.time.Instant;

/**
 * An event that has failed, in short. Immutable.
 *
 * @param error why, empty where that is not known
 */
public record FailedEvent(EventId id, Instant endedAt, String queue, String type, String error) {}
