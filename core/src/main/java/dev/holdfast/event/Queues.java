package dev.holdfast.event;

import java.util.Collection;
import java.util.List;
import java.util.Set;

/**
 * Pauses and limits queues and types of events, on all instances.
 *
 * <pre>{@code
 * holdfast.queues().pause("mail");
 * holdfast.queues().setLimit(QueueLimit.queue("mail").maxConcurrency(10));
 * }</pre>
 *
 * <p>Running workers notice a change within their poll interval, and at once if the database
 * notifies them. Events that are claimed already go on. Each change is a transaction of its own and
 * waits up to {@link Events#lockTimeout} for another session. Immutable and thread-safe.
 */
public interface Queues {
  /** What {@link #replaceLimits} did. */
  enum LimitResult {
    /** The limits are replaced. */
    APPLIED,
    /** The current limits are not the expected ones; nothing is changed. */
    CONFLICT
  }

  /** No instance claims from this queue any more, until it is resumed. */
  void pause(String queue);

  /** Instances claim from this queue again. */
  void resume(String queue);

  /** The queues that are paused. */
  Set<String> paused();

  /** No instance claims events of this type any more, until it is resumed. */
  void pauseType(EventType<?> type);

  /** Instances claim events of this type again. */
  void resumeType(EventType<?> type);

  /** The names of the types that are paused. */
  Set<String> pausedTypes();

  /** Sets a limit for all instances. It replaces the limit that the target had. */
  void setLimit(QueueLimit limit);

  /** Removes the limit of this target, if it has one. */
  void removeLimit(QueueLimit.Target target);

  /** All limits. */
  List<QueueLimit> limits();

  /**
   * Replaces limits by others, if the current ones are as expected: a limit that is updated and not
   * expected must not exist yet. Limits of targets in neither list stay as they are.
   *
   * <p>Guarantee: of all callers that expect the same limits, one gets {@code APPLIED}.
   */
  LimitResult replaceLimits(Collection<QueueLimit> expected, Collection<QueueLimit> updated);
}
