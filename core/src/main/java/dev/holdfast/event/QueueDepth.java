package dev.holdfast.event;

import java.time.Duration;

/**
 * How much there was to do in a queue when it was counted. Immutable.
 *
 * @param pending not claimed, whenever they are due
 * @param due those of them that were due
 * @param processing claimed by an instance
 * @param oldestDueAge for how long the oldest of those was due; zero where none was
 */
public record QueueDepth(
    String queue, long pending, long due, long processing, Duration oldestDueAge) {}
