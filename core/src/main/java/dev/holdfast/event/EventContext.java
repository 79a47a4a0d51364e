package dev.holdfast.event;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * What a handler may know about the event that it handles. Thread-safe.
 *
 * <p>{@link #version()} is a fencing number: it grows whenever the event changes hands, so whoever
 * is given it along with a write can refuse an older one.
 */
public interface EventContext {
  EventId id();

  /** The version at which the event was claimed. */
  int version();

  /** From 1 on; snoozes do not count. */
  int attempt();

  String type();

  Instant dueAt();

  Optional<String> key();

  List<String> tags();

  /**
   * Whether the handler should stop: somebody asked for the event to be cancelled, its time limit
   * is over, the worker stops, or the instance has lost its lease. Its thread is interrupted, too.
   */
  boolean isCancelled();

  /**
   * Whether the event is still in the hands of this instance, as far as it knows. False for good
   * once the lease is lost; what the handler does from then on, another one may do as well.
   */
  boolean isOwned();
}
