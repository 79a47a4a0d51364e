package dev.holdfast.event;

import dev.holdfast.internal.Require;
import dev.holdfast.transaction.Transactions;
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
public final class Queues {
  private final EventCommands changing;

  Queues(EventBackend home, Transactions joining) {
    this.changing = new EventCommands(Events.locking(home), joining);
  }

  /** What {@link #replaceLimits} did. */
  public enum LimitResult {
    /** The limits are replaced. */
    APPLIED,
    /** The current limits are not the expected ones; nothing is changed. */
    CONFLICT
  }

  /** No instance claims from this queue any more, until it is resumed. */
  public void pause(String queue) {
    Event.requireQueue(queue);
    changing.pause("queue", queue);
  }

  /** Instances claim from this queue again. */
  public void resume(String queue) {
    Event.requireQueue(queue);
    changing.resume("queue", queue);
  }

  /** The queues that are paused. */
  public Set<String> paused() {
    return changing.paused("queue");
  }

  /** No instance claims events of this type any more, until it is resumed. */
  public void pauseType(EventType<?> type) {
    changing.pause("type", Require.notNull(type, "type").name());
  }

  /** Instances claim events of this type again. */
  public void resumeType(EventType<?> type) {
    changing.resume("type", Require.notNull(type, "type").name());
  }

  /** The names of the types that are paused. */
  public Set<String> pausedTypes() {
    return changing.paused("type");
  }

  /** Sets a limit for all instances. It replaces the limit that the target had. */
  public void setLimit(QueueLimit limit) {
    QueueLimit given = Require.notNull(limit, "limit");
    requireLimiting(given);
    changing.limit(given);
  }

  /** Removes the limit of this target, if it has one. */
  public void removeLimit(QueueLimit.Target target) {
    changing.unlimit(Require.notNull(target, "target"));
  }

  /** All limits. */
  public List<QueueLimit> limits() {
    return changing.limits();
  }

  /**
   * Replaces limits by others, if the current ones are as expected: a limit that is updated and not
   * expected must not exist yet. Limits of targets in neither list stay as they are.
   *
   * <p>Guarantee: of all callers that expect the same limits, one gets {@code APPLIED}.
   */
  public LimitResult replaceLimits(
      Collection<QueueLimit> expected, Collection<QueueLimit> updated) {
    Require.notNull(expected, "expected");
    Require.notNull(updated, "updated").forEach(Queues::requireLimiting);
    return changing.replaceLimits(new LimitReplacement(expected, updated))
        ? LimitResult.APPLIED
        : LimitResult.CONFLICT;
  }

  private static void requireLimiting(QueueLimit given) {
    Require.that(
        given.maxConcurrency().isPresent() || given.rate().isPresent(),
        () -> "a limit must have a maxConcurrency or a rateLimit, was " + given);
  }
}
