package dev.holdfast.event;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * What a handler may know about the event that it handles. Thread-safe.
 *
 * <p>{@link #version()} is a fencing token: it grows with every claim of the event, so a system
 * that gets it along with a write can reject an older one.
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
   * Whether the handler should stop: the cancellation of the event was requested, its timeout has
   * expired, the worker stops, or the instance has lost its lease. Its thread is interrupted, too.
   */
  boolean isCancelled();

  /**
   * Whether this instance still owns the event, as far as it knows. Once the lease is lost it stays
   * false; what the handler does from then on, another one may do as well.
   */
  boolean isOwned();
}
