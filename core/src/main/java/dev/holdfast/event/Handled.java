package dev.holdfast.event;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What became of an event that a {@link HandWorker} has handled.
 *
 * @param event as it was afterwards: {@code COMPLETED}, {@code FAILED} or {@code CANCELLED}, or
 *     {@code PENDING} again with the time at which it is due next; still {@code PROCESSING} only
 *     where somebody else has taken it meanwhile
 * @param failure what the handler has thrown, null where it returned or was not called
 */
public record Handled(EventRecord event, @Nullable Throwable failure) {
  /** What the handler has thrown; empty where it returned, or was not called. */
  public Optional<Throwable> thrown() {
    return Optional.ofNullable(failure);
  }

  /** In short, for the message of a test. */
  @Override
  public String toString() {
    return event.type()
        + (event.key() == null ? " " + event.id() : " '" + event.key() + "'")
        + " attempt "
        + event.attempts()
        + ": "
        + event.status()
        + (event.status() == EventStatus.PENDING ? ", due " + event.dueAt() : "")
        + (event.error() == null ? "" : ", " + event.error());
  }
}
