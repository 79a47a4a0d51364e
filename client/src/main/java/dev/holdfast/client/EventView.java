package dev.holdfast.client;

import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An event of the service, as it was when it was read.
 *
 * @param version grows by one with every change
 * @param attempts number of started attempts
 * @param error why the last attempt failed
 */
public record EventView(
    String id,
    Status status,
    int version,
    int attempts,
    Instant dueAt,
    @Nullable String key,
    @Nullable Instant endedAt,
    @Nullable String error) {

  /** The state of an event. An event that waits for its next attempt is {@code PENDING}. */
  public enum Status {
    PENDING,
    PROCESSING,
    COMPLETED,
    FAILED,
    CANCELLED;

    /** Whether the state is final. */
    public boolean isEnded() {
      return this != PENDING && this != PROCESSING;
    }
  }

  /**
   * @throws RuntimeException if these are not the members of an event
   */
  static EventView of(Map<?, ?> members) {
    return new EventView(
        text(members, "id"),
        Status.valueOf(text(members, "status")),
        number(members, "version"),
        number(members, "attempts"),
        Instant.parse(text(members, "dueAt")),
        (String) members.get("key"),
        members.get("endedAt") instanceof String time ? Instant.parse(time) : null,
        (String) members.get("error"));
  }

  private static String text(Map<?, ?> members, String name) {
    if (members.get(name) instanceof String text) {
      return text;
    }
    throw new IllegalArgumentException("'" + name + "' is missing");
  }

  private static int number(Map<?, ?> members, String name) {
    if (members.get(name) instanceof Number number) {
      return number.intValue();
    }
    throw new IllegalArgumentException("'" + name + "' is missing");
  }
}
