package dev.holdfast.internal.event.engine;

import dev.holdfast.event.EventType;
import dev.holdfast.event.QueueLimit;
import dev.holdfast.event.Queues;
import dev.holdfast.internal.Require;
import dev.holdfast.internal.event.EventArguments;
import dev.holdfast.transaction.Transactions;
import java.util.Collection;
import java.util.List;
import java.util.Set;

/** The implementation of {@link Queues}. */
final class DefaultQueues implements Queues {
  private final EventCommands changing;

  DefaultQueues(EventBackend home, Transactions joining) {
    this.changing = new EventCommands(DefaultEvents.locking(home), joining);
  }

  @Override
  public void pause(String queue) {
    EventArguments.requireQueue(queue);
    changing.pause("queue", queue);
  }

  @Override
  public void resume(String queue) {
    EventArguments.requireQueue(queue);
    changing.resume("queue", queue);
  }

  @Override
  public Set<String> paused() {
    return changing.paused("queue");
  }

  @Override
  public void pauseType(EventType<?> type) {
    changing.pause("type", Require.notNull(type, "type").name());
  }

  @Override
  public void resumeType(EventType<?> type) {
    changing.resume("type", Require.notNull(type, "type").name());
  }

  @Override
  public Set<String> pausedTypes() {
    return changing.paused("type");
  }

  @Override
  public void setLimit(QueueLimit limit) {
    QueueLimit given = Require.notNull(limit, "limit");
    requireLimiting(given);
    changing.limit(given);
  }

  @Override
  public void removeLimit(QueueLimit.Target target) {
    changing.unlimit(Require.notNull(target, "target"));
  }

  @Override
  public List<QueueLimit> limits() {
    return changing.limits();
  }

  @Override
  public LimitResult replaceLimits(
      Collection<QueueLimit> expected, Collection<QueueLimit> updated) {
    Require.notNull(expected, "expected");
    Require.notNull(updated, "updated").forEach(DefaultQueues::requireLimiting);
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
