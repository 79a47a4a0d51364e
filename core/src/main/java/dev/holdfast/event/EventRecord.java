package dev.holdfast.event;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An event as it was read from the database, live or ended. What it says may have changed since.
 *
 * @param version grows by one with every change of the event
 * @param attempts how often it was begun, snoozes not counted
 * @param crashes how often in a row its instance stopped while handling it
 * @param instanceId the number of the instance that has it, or had it when it ended; null where
 *     none has: while it is pending, and if it was cancelled before it started
 * @param instanceName the name of that instance; null if none has it, and from about a day after
 *     the instance has ended, when only its number is known
 * @param error why the last attempt did not succeed; null if it has completed
 * @param replayOf the ended event that this one repeats
 * @param replayedAs the event that repeats this one, which has ended
 * @param payload as text, null if it is bytes
 */
@SuppressWarnings("ArrayRecordComponent") // bytes of a payload may be large, and are not compared
public record EventRecord(
    EventId id,
    EventStatus status,
    String type,
    String queue,
    int priority,
    int version,
    int attempts,
    int crashes,
    Instant createdAt,
    Instant dueAt,
    @Nullable Instant claimedAt,
    @Nullable Instant endedAt,
    @Nullable Instant deadlineAt,
    @Nullable String key,
    @Nullable String orderingKey,
    @Nullable String concurrencyKey,
    List<String> tags,
    boolean cancelRequested,
    @Nullable Long instanceId,
    @Nullable String instanceName,
    @Nullable String error,
    @Nullable EventId replayOf,
    @Nullable EventId replayedAs,
    @Nullable String payload,
    byte @Nullable [] payloadBytes) {}
