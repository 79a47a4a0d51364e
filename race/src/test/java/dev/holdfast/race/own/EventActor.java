package dev.holdfast.race.own;

import dev.holdfast.Holdfast;
import dev.holdfast.event.EventRecord;
import dev.holdfast.event.EventStatus;
import dev.holdfast.internal.event.store.ClaimCursor;
import dev.holdfast.internal.event.store.ClaimRequest;
import dev.holdfast.internal.event.store.ClaimedEvent;
import dev.holdfast.internal.event.store.CompletionUpdate;
import dev.holdfast.internal.event.store.EventStore;
import dev.holdfast.internal.event.store.EventStores;
import dev.holdfast.internal.event.store.Requeue;
import dev.holdfast.internal.event.store.StoredPayload;
import dev.holdfast.transaction.Isolation;
import dev.holdfast.transaction.Transactions;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import javax.sql.DataSource;

/**
 * An instance that does with the event 1 what the engine does, each step in a transaction of its
 * own. Who is told that it has changed the event notes in the same transaction from which version.
 */
final class EventActor {
  /** What an instance does in one transaction. */
  interface Step<T> {
    T in(Connection connection) throws SQLException;
  }

  final EventStore store;
  private final String who;
  private final long instance;
  private final Transactions transactions;

  EventActor(String who, long instance, Mutation mutation, DataSource dataSource) {
    Holdfast holdfast = Holdfast.create(mutation.over(who, dataSource));
    this.who = who;
    this.instance = instance;
    this.store = EventStores.of(holdfast.dialect(), "");
    this.transactions = holdfast.transactions().isolation(Isolation.READ_COMMITTED);
  }

  <T> T step(Step<T> step) throws SQLException {
    return transactions.<T, SQLException>call(tx -> step.in(tx.connection()));
  }

  /** Notes that this instance has changed an event from a version. */
  void note(Connection connection, String what, long id, int version) throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement("insert into notes values (?, ?, ?, ?)")) {
      statement.setString(1, who);
      statement.setString(2, what);
      statement.setLong(3, id);
      statement.setInt(4, version);
      statement.executeUpdate();
    }
  }

  List<ClaimedEvent> claim(int most) throws SQLException {
    return step(connection -> claim(connection, most));
  }

  List<ClaimedEvent> claim(Connection connection, int most) throws SQLException {
    List<ClaimedEvent> claimed =
        store.claim(
            connection,
            new ClaimRequest(0, "q", List.of("t"), most, instance, null),
            new ClaimCursor());
    for (ClaimedEvent event : claimed) {
      note(connection, "claimed", event.id(), event.version() - 1);
    }
    return claimed;
  }

  /** Claims up to so many and completes them. */
  void work(int most) throws SQLException {
    for (ClaimedEvent event : claim(most)) {
      end(event.id(), event.version());
    }
  }

  boolean end(long id, int version) throws SQLException {
    return step(connection -> end(connection, id, version));
  }

  boolean end(Connection connection, long id, int version) throws SQLException {
    CompletionUpdate ending = new CompletionUpdate(id, version, EventStatus.COMPLETED, null);
    boolean ours = !store.end(connection, 0, List.of(ending)).isEmpty();
    if (ours) {
      note(connection, "ended", id, version);
    }
    return ours;
  }

  boolean putBack(long id, int version) throws SQLException {
    return step(
        connection -> {
          Requeue back = new Requeue(id, version, null, null, true, "again");
          boolean ours = !store.putBack(connection, 0, List.of(back)).isEmpty();
          if (ours) {
            note(connection, "put back", id, version);
          }
          return ours;
        });
  }

  /** Gives an event back that was not begun. */
  void giveBack(long id, int version) throws SQLException {
    Requeue back = new Requeue(id, version, null, null, false, null);
    step(connection -> store.putBack(connection, 0, List.of(back)));
  }

  /** Takes back the crash that a rescue has counted for a claim that had seen none before. */
  void uncount(long id, int version) throws SQLException {
    StoredPayload payload = new StoredPayload("x", null);
    Instant due = Instant.EPOCH;
    ClaimedEvent claim =
        new ClaimedEvent(
            0, "q", id, version, 1, 0, 5, due, due, null, null, 0, "t", null, null, null, null,
            payload);
    step(
        connection -> {
          store.uncountCrashes(connection, 0, List.of(claim));
          return true;
        });
  }

  /** Takes the event 1 from the instance that is dead. */
  boolean rescue() throws SQLException {
    return step(this::rescue);
  }

  boolean rescue(Connection connection) throws SQLException {
    List<Long> expired = store.expired(connection);
    return !expired.isEmpty() && store.rescue(connection, 0, expired, 10) > 0;
  }

  Optional<EventRecord> find() throws SQLException {
    return step(connection -> store.find(connection, 0, 1));
  }

  /** Whether the instance that is dead has the event 1. */
  boolean isOwnedByTheDead() throws SQLException {
    return step(connection -> store.owned(connection, 0, "q", EventTables.DEAD).containsKey(1L));
  }
}
