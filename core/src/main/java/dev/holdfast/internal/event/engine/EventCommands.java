package dev.holdfast.internal.event.engine;

import dev.holdfast.event.EventChange;
import dev.holdfast.event.EventChangeResult;
import dev.holdfast.event.EventId;
import dev.holdfast.event.EventRecord;
import dev.holdfast.event.EventStatus;
import dev.holdfast.event.EventType;
import dev.holdfast.internal.Require;
import dev.holdfast.internal.event.store.StoredPayload;
import dev.holdfast.internal.sql.SqlBuilder;
import dev.holdfast.transaction.Transaction;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;
import java.util.function.Supplier;

/** Changes single events. */
final class EventCommands {
  /** How often an event may have another version than the one that was found. */
  private static final int MAX_ATTEMPTS = 5;

  private final EventBackend home;
  private final EventQueries queries;

  EventCommands(EventBackend home, EventQueries queries) {
    this.queries = queries;
    this.home = home;
  }

  /** A statement that returns whether it has changed the event. */
  private interface Attempt {
    boolean apply() throws SQLException;
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
                && notifyAllWorkers(tx.connection()));
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
                && notifyAllWorkers(tx.connection()));
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
                && notifyAllWorkers(tx.connection()));
  }

  /** A change of an event in the version that was found. */
  interface Seen {
    EventChangeResult change(EventId id, int version);
  }

  /** Changes the event that was found, and finds it again if it has another version by then. */
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
    Optional<EventRecord> current = queries.find(tx, id);
    if (current.isEmpty()) {
      return new EventChangeResult.NotFound();
    }
    return current.get().status() == changeable
        ? new EventChangeResult.Conflict(current.get())
        : new EventChangeResult.NotPending(current.get());
  }

  /** Makes all workers read what has changed. */
  private boolean notifyAllWorkers(Connection connection) throws SQLException {
    home.store().signals().send(connection, EventNotifier.CHANGED);
    return true;
  }
}
