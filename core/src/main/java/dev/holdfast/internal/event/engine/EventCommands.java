package dev.holdfast.internal.event.engine;

import dev.holdfast.event.EventChange;
import dev.holdfast.event.EventChangeResult;
import dev.holdfast.event.EventId;
import dev.holdfast.event.EventRecord;
import dev.holdfast.event.EventStatus;
import dev.holdfast.event.EventType;
import dev.holdfast.event.QueueLimit;
import dev.holdfast.internal.Require;
import dev.holdfast.internal.event.store.StoredPayload;
import dev.holdfast.internal.sql.SqlBuilder;
import dev.holdfast.transaction.Transaction;
import dev.holdfast.transaction.Transactions;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;

/** Changes single events, and what is paused. */
final class EventCommands {
  /** How often an event may have another version than the one that was found. */
  private static final int MAX_ATTEMPTS = 5;

  private final EventBackend home;
  private final Transactions joining;

  EventCommands(EventBackend home, Transactions joining) {
    this.home = home;
    this.joining = joining;
  }

  /** A statement that says whether it has changed the event. */
  private interface Attempt {
    boolean apply() throws SQLException;
  }

  Optional<EventRecord> find(Transaction tx, EventId id) {
    try {
      return home.store().find(tx.connection(), id.shard(), id.id());
    } catch (SQLException e) {
      throw SqlBuilder.failed(tx, "finding the event " + id, e);
    }
  }

  List<EventRecord> findAll(Transaction tx, Collection<EventId> ids) {
    Map<Integer, List<Long>> byShard = new TreeMap<>();
    ids.forEach(
        id -> byShard.computeIfAbsent(id.shard(), ignored -> new ArrayList<>()).add(id.id()));
    try {
      List<EventRecord> found = new ArrayList<>(ids.size());
      for (Map.Entry<Integer, List<Long>> some : byShard.entrySet()) {
        found.addAll(home.store().findAll(tx.connection(), some.getKey(), some.getValue()));
      }
      return found;
    } catch (SQLException e) {
      throw SqlBuilder.failed(tx, "finding " + ids.size() + " events", e);
    }
  }

  EventChangeResult cancel(Transaction tx, EventId id, int version, String reason) {
    return change(
        tx,
        id,
        version,
        EventStatus.PENDING,
        1,
        () ->
            home.store().cancelPending(tx.connection(), id.shard(), id.id(), version, reason)
                && look(tx.connection()));
  }

  EventChangeResult change(Transaction tx, EventId id, int version, EventChange wanted) {
    return change(
        tx,
        id,
        version,
        EventStatus.PENDING,
        1,
        () ->
            home.store().change(tx.connection(), id.shard(), id.id(), version, wanted, null, null)
                && look(tx.connection()));
  }

  EventChangeResult change(
      Transaction tx, EventId id, int version, EventType<?> type, StoredPayload payload) {
    EventChangeResult result =
        change(
            tx,
            id,
            version,
            EventStatus.PENDING,
            1,
            () ->
                home.store()
                    .change(
                        tx.connection(),
                        id.shard(),
                        id.id(),
                        version,
                        EventChange.create(),
                        type.name(),
                        payload));
    // at another version it may have been of this type when the caller saw it
    if (result instanceof EventChangeResult.Conflict conflict
        && conflict.current().version() == version) {
      EventBackend.requireTypeOf(type, conflict.current());
    }
    return result;
  }

  EventChangeResult requestCancel(Transaction tx, EventId id, int version) {
    return change(
        tx,
        id,
        version,
        EventStatus.PROCESSING,
        0,
        () ->
            home.store().requestCancel(tx.connection(), id.shard(), id.id(), version)
                && look(tx.connection()));
  }

  /** A change of an event in the version that was found. */
  interface Seen {
    EventChangeResult change(EventId id, int version);
  }

  /** Changes the event that was found, and looks again where it has another version by then. */
  EventChangeResult found(Supplier<Optional<EventRecord>> find, Seen wanted) {
    EventChangeResult result = new EventChangeResult.NotFound();
    for (int attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      EventRecord event = find.get().orElse(null);
      if (event == null) {
        return new EventChangeResult.NotFound();
      }
      result = wanted.change(event.id(), event.version());
      if (!(result instanceof EventChangeResult.Conflict)) {
        return result;
      }
    }
    return result;
  }

  private EventChangeResult change(
      Transaction tx,
      EventId id,
      int version,
      EventStatus changeable,
      int growth,
      Attempt attempt) {
    Require.notNull(id, "id");
    Require.between(version, 1, Integer.MAX_VALUE - 1, "version");
    tx.requireWritable(() -> "changing the event " + id);
    try {
      if (attempt.apply()) {
        return new EventChangeResult.Applied(version + growth);
      }
    } catch (SQLException e) {
      throw SqlBuilder.failed(tx, "changing the event " + id, e);
    }
    Optional<EventRecord> current = find(tx, id);
    if (current.isEmpty()) {
      return new EventChangeResult.NotFound();
    }
    return current.get().status() == changeable
        ? new EventChangeResult.Conflict(current.get())
        : new EventChangeResult.NotPending(current.get());
  }

  boolean pause(String kind, String name) {
    return write(
        () -> "pausing the " + kind + " '" + name + "'",
        connection -> home.store().pause(connection, kind, name) && look(connection));
  }

  boolean resume(String kind, String name) {
    return write(
        () -> "resuming the " + kind + " '" + name + "'",
        connection -> home.store().resume(connection, kind, name) && look(connection));
  }

  Set<String> paused(String kind) {
    return Set.copyOf(
        read(() -> "reading what is paused", home.store()::standingOrders)
            .paused()
            .getOrDefault(kind, Set.of()));
  }

  void limit(QueueLimit limit) {
    write(
        () -> "limiting " + limit,
        connection -> {
          home.store().limits().set(connection, limit);
          return look(connection);
        });
  }

  boolean unlimit(QueueLimit.Target target) {
    return write(
        () -> "removing the limit of " + target,
        connection -> home.store().limits().remove(connection, target) && look(connection));
  }

  boolean replaceLimits(LimitReplacement change) {
    try {
      return write(
          () -> "changing limits",
          connection -> {
            change.apply(connection, home.store().limits());
            return look(connection);
          });
    } catch (LimitReplacement.SeenOtherwise e) {
      return false;
    }
  }

  List<QueueLimit> limits() {
    return read(() -> "reading the limits", home.store().limits()::all);
  }

  /** In the current transaction, or else in a new one. */
  private <T> T write(Supplier<String> doing, EventBackend.Statements<T> statements) {
    return joining.<T, RuntimeException>joinToWrite(
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
    } catch (LimitReplacement.SeenOtherwise e) {
      if (e.hasChanged()) {
        tx.setRollbackOnly(e);
      }
      throw e;
    }
  }

  /** Lets all workers look at what has changed. */
  private boolean look(Connection connection) throws SQLException {
    home.store().signals().send(connection, NotificationText.LOOK);
    return true;
  }
}
