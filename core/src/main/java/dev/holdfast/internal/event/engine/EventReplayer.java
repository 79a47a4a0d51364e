package dev.holdfast.internal.event.engine;

import dev.holdfast.event.EventFilter;
import dev.holdfast.event.EventId;
import dev.holdfast.event.EventPage;
import dev.holdfast.event.EventRecord;
import dev.holdfast.event.EventReplayResult;
import dev.holdfast.event.EventStatus;
import dev.holdfast.event.EventType;
import dev.holdfast.internal.event.store.NewEvent;
import dev.holdfast.internal.event.store.StoredPayload;
import dev.holdfast.internal.sql.SqlBuilder;
import dev.holdfast.transaction.DatabaseException;
import dev.holdfast.transaction.Transaction;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Replays ended events, each at most once. What is found is read before the transaction that
 * replays it, which therefore sees what others have replayed since.
 */
final class EventReplayer {
  private final EventBackend home;
  private final EventQueries finding;
  private final EventNotifier notifier = new EventNotifier();

  EventReplayer(EventBackend home, EventQueries finding) {
    this.home = home;
    this.finding = finding;
  }

  /** Where the steps of a replay run. */
  private interface Steps {
    <T> T call(Supplier<String> doing, EventBackend.Statements<T> statements);
  }

  /** Replays an event of this type, if there is one, with another payload, if there is one. */
  EventReplayResult replay(EventId id, @Nullable EventType<?> type, @Nullable StoredPayload other) {
    return replay(home::call, id, type, other);
  }

  /** As the other one, in this transaction. */
  EventReplayResult replay(
      Transaction tx, EventId id, @Nullable EventType<?> type, @Nullable StoredPayload other) {
    tx.requireWritable(() -> "replaying the event " + id);
    Steps inside =
        new Steps() {
          @Override
          public <T> T call(Supplier<String> doing, EventBackend.Statements<T> statements) {
            try {
              return statements.run(tx.connection());
            } catch (SQLException e) {
              throw SqlBuilder.failed(tx, doing.get(), e);
            }
          }
        };
    return replay(inside, id, type, other);
  }

  private EventReplayResult replay(
      Steps steps, EventId id, @Nullable EventType<?> type, @Nullable StoredPayload other) {
    Optional<EventRecord> found = find(steps, id);
    if (type != null && found.isPresent()) {
      EventBackend.requireTypeOf(type, found.get());
    }
    Optional<EventReplayResult> refused = refused(found);
    if (refused.isPresent()) {
      return refused.get();
    }
    EventRecord event = found.orElseThrow();
    StoredPayload payload =
        other == null ? new StoredPayload(event.payload(), event.payloadBytes()) : other;
    Map<Long, NewEvent> one = Map.of(id.id(), repetition(event, payload));
    Supplier<String> doing = () -> "replaying the event " + id;
    Long again = steps.call(doing, connection -> replay(connection, id.shard(), one)).get(id.id());
    return again == null
        ? refused(find(steps, id)).orElseThrow(() -> staleSnapshot(doing.get()))
        : new EventReplayResult.Replayed(new EventId(id.shard(), again));
  }

  /** Only a transaction that does not see what others have committed comes here. */
  private static DatabaseException staleSnapshot(String doing) {
    return new DatabaseException(
        doing,
        new SQLException(
            "it was replayed or deleted after the snapshot of this transaction; roll back and try"
                + " again",
            "40001"));
  }

  private Optional<EventRecord> find(Steps steps, EventId id) {
    return steps.call(
        () -> "finding the event " + id,
        connection -> home.store().find(connection, id.shard(), id.id()));
  }

  /** Why an event cannot be replayed; empty if it can. */
  private static Optional<EventReplayResult> refused(Optional<EventRecord> found) {
    if (found.isEmpty()) {
      return Optional.of(new EventReplayResult.NotFound());
    }
    EventRecord event = found.get();
    if (!event.status().isEnded()) {
      return Optional.of(new EventReplayResult.NotEnded(event));
    }
    return Optional.ofNullable(event.replayedAs()).map(EventReplayResult.AlreadyReplayed::new);
  }

  private static NewEvent repetition(EventRecord event, StoredPayload payload) {
    return new NewEvent(
        event.type(),
        event.queue(),
        event.priority(),
        null,
        null,
        null,
        null,
        event.orderingKey(),
        event.concurrencyKey(),
        event.tags().isEmpty() ? null : " " + String.join(" ", event.tags()) + " ",
        event.id().toString(),
        payload);
  }

  private Map<Long, Long> replay(Connection connection, int shard, Map<Long, NewEvent> repetitions)
      throws SQLException {
    Map<Long, Long> replayed = home.store().replay(connection, shard, repetitions);
    if (!replayed.isEmpty()) {
      notifier.notify(connection, home, repetitions.values());
    }
    return replayed;
  }

  long replayAll(EventFilter filter) {
    return eachPage(
        filter,
        events ->
            home.call(
                () -> "replaying " + events.size() + " events",
                connection -> replay(connection, events)));
  }

  private long replay(Connection connection, List<EventRecord> events) throws SQLException {
    Map<Integer, Map<Long, NewEvent>> byShard = new TreeMap<>();
    for (EventRecord event : events) {
      StoredPayload payload = new StoredPayload(event.payload(), event.payloadBytes());
      byShard
          .computeIfAbsent(event.id().shard(), ignored -> new TreeMap<>())
          .put(event.id().id(), repetition(event, payload));
    }
    long replayed = 0;
    for (Map.Entry<Integer, Map<Long, NewEvent>> some : byShard.entrySet()) {
      replayed += replay(connection, some.getKey(), some.getValue()).size();
    }
    return replayed;
  }

  /** How many {@link #replayAll} would replay. */
  long count(EventFilter filter) {
    return eachPage(filter, List::size);
  }

  /** What is done with events; returns with how many. */
  private interface Step {
    long with(List<EventRecord> events);
  }

  private long eachPage(EventFilter filter, Step step) {
    Set<EventStatus> wanted = wanted(filter);
    if (wanted.isEmpty()) {
      return 0;
    }
    EventFilter rest = filter.status(wanted.iterator().next(), wanted.toArray(EventStatus[]::new));
    long count = 0;
    while (true) {
      EventPage page = finding.findNotReplayed(rest);
      count += page.events().isEmpty() ? 0 : step.with(page.events());
      if (page.nextCursor().isEmpty()) {
        return count;
      }
      rest = rest.cursor(page.nextCursor().get());
    }
  }

  /** A filter without statuses must not repeat what has succeeded. */
  private static Set<EventStatus> wanted(EventFilter filter) {
    Set<EventStatus> wanted = EnumSet.noneOf(EventStatus.class);
    filter.statuses().stream().filter(EventStatus::isEnded).forEach(wanted::add);
    if (filter.statuses().size() == EventStatus.values().length) {
      wanted.remove(EventStatus.COMPLETED);
    }
    return wanted;
  }
}
