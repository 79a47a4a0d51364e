package dev.holdfast.internal.event.engine;

import dev.holdfast.event.EventType;
import dev.holdfast.event.QueueLimit;
import dev.holdfast.event.Queues;
import dev.holdfast.internal.Require;
import dev.holdfast.internal.event.EventArguments;
import dev.holdfast.internal.event.store.LimitStatements;
import dev.holdfast.internal.sql.SqlBuilder;
import dev.holdfast.transaction.Transaction;
import dev.holdfast.transaction.Transactions;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** {@link Queues} on the tables of Holdfast. */
final class DefaultQueues implements Queues {
  private final EventBackend home;
  private final Transactions joining;

  DefaultQueues(EventBackend home, Transactions joining) {
    this.home = DefaultEvents.locking(home);
    this.joining = joining;
  }

  @Override
  public void pause(String queue) {
    pause("queue", EventArguments.requireQueue(queue));
  }

  @Override
  public void resume(String queue) {
    resume("queue", EventArguments.requireQueue(queue));
  }

  @Override
  public Set<String> paused() {
    return read(() -> "reading the paused queues", home.store()::queueControls).pausedQueues();
  }

  @Override
  public void pauseType(EventType<?> type) {
    pause("type", Require.notNull(type, "type").name());
  }

  @Override
  public void resumeType(EventType<?> type) {
    resume("type", Require.notNull(type, "type").name());
  }

  @Override
  public Set<String> pausedTypes() {
    return read(() -> "reading the paused types", home.store()::queueControls).pausedTypes();
  }

  private void pause(String kind, String name) {
    write(
        () -> "pausing the " + kind + " '" + name + "'",
        connection -> home.store().pause(connection, kind, name));
  }

  private void resume(String kind, String name) {
    write(
        () -> "resuming the " + kind + " '" + name + "'",
        connection -> home.store().resume(connection, kind, name));
  }

  @Override
  public void setLimit(QueueLimit limit) {
    QueueLimit given = Require.notNull(limit, "limit");
    requireLimiting(given);
    write(
        () -> "limiting " + given,
        connection -> {
          home.store().limits().set(connection, given);
          return true;
        });
  }

  @Override
  public void removeLimit(QueueLimit.Target target) {
    Require.notNull(target, "target");
    write(
        () -> "removing the limit of " + target,
        connection -> home.store().limits().remove(connection, target));
  }

  @Override
  public List<QueueLimit> limits() {
    return read(() -> "reading the limits", home.store().limits()::all);
  }

  @Override
  public LimitResult replaceLimits(
      Collection<QueueLimit> expected, Collection<QueueLimit> updated) {
    Require.notNull(expected, "expected");
    Require.notNull(updated, "updated").forEach(DefaultQueues::requireLimiting);
    Map<QueueLimit.Target, Replacement> replacements = replacements(expected, updated);
    try {
      write(
          () -> "changing limits",
          connection -> {
            replace(connection, home.store().limits(), replacements);
            return true;
          });
      return LimitResult.APPLIED;
    } catch (LimitsDifferException e) {
      return LimitResult.CONFLICT;
    }
  }

  private static void requireLimiting(QueueLimit given) {
    Require.that(
        given.maxConcurrency().isPresent() || given.rate().isPresent(),
        () -> "a limit must have a maxConcurrency or a rateLimit, was " + given);
  }

  private record Replacement(@Nullable QueueLimit expected, @Nullable QueueLimit updated) {}

  /** In the order in which limits are locked. */
  private static Map<QueueLimit.Target, Replacement> replacements(
      Collection<QueueLimit> expected, Collection<QueueLimit> updated) {
    Map<QueueLimit.Target, Replacement> replacements =
        new TreeMap<>(
            Comparator.comparing(
                    (QueueLimit.Target of) -> of.kind().name().toLowerCase(Locale.ROOT))
                .thenComparing(QueueLimit.Target::name));
    expected.forEach(limit -> replacements.put(limit.target(), new Replacement(limit, null)));
    updated.forEach(
        limit -> {
          Replacement before = replacements.get(limit.target());
          replacements.put(
              limit.target(), new Replacement(before == null ? null : before.expected, limit));
        });
    return replacements;
  }

  private static void replace(
      Connection connection,
      LimitStatements limits,
      Map<QueueLimit.Target, Replacement> replacements)
      throws SQLException {
    for (Map.Entry<QueueLimit.Target, Replacement> one : replacements.entrySet()) {
      if (!limits.isStill(connection, one.getKey(), one.getValue().expected)) {
        throw new LimitsDifferException(false);
      }
    }
    for (Map.Entry<QueueLimit.Target, Replacement> one : replacements.entrySet()) {
      Replacement change = one.getValue();
      if (change.updated == null) {
        limits.remove(connection, one.getKey());
      } else if (change.expected != null) {
        limits.set(connection, change.updated);
      } else if (!limits.create(connection, change.updated)) {
        throw new LimitsDifferException(true);
      }
    }
  }

  /** Ends the transaction: the current limits are not the expected ones. */
  private static final class LimitsDifferException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Whether the transaction may have changed some limits already. */
    private final boolean changed;

    LimitsDifferException(boolean changed) {
      this.changed = changed;
    }
  }

  /** Runs a change in the current transaction, or else in a new one, and notifies all workers. */
  private void write(Supplier<String> doing, EventBackend.Statements<Boolean> change) {
    EventBackend.Statements<Boolean> statements =
        connection -> {
          boolean changed = change.run(connection);
          if (changed) {
            home.store().signals().send(connection, EventNotifier.CHANGED);
          }
          return changed;
        };
    boolean unused =
        joining.<Boolean, RuntimeException>joinToWrite(
            doing.get(), tx -> in(tx, doing, statements), () -> home.call(doing, statements));
  }

  private <T> T read(Supplier<String> doing, EventBackend.Statements<T> statements) {
    return joining.<T, RuntimeException>joinToRead(
        tx -> in(tx, doing, statements), () -> home.call(doing, statements));
  }

  private static <T> T in(
      Transaction tx, Supplier<String> doing, EventBackend.Statements<T> statements) {
    try {
      return statements.run(tx.connection());
    } catch (SQLException e) {
      throw SqlBuilder.failed(tx, doing.get(), e);
    } catch (LimitsDifferException e) {
      if (e.changed) {
        tx.setRollbackOnly(e);
      }
      throw e;
    }
  }
}
