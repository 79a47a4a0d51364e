package dev.holdfast.internal.event.engine;

import dev.holdfast.event.Event;
import dev.holdfast.event.EventChange;
import dev.holdfast.event.EventChangeResult;
import dev.holdfast.event.EventFilter;
import dev.holdfast.event.EventId;
import dev.holdfast.event.EventPage;
import dev.holdfast.event.EventRecord;
import dev.holdfast.event.EventReplayResult;
import dev.holdfast.event.EventScheduleResult;
import dev.holdfast.event.EventTemplate;
import dev.holdfast.event.EventType;
import dev.holdfast.event.Events;
import dev.holdfast.internal.Require;
import dev.holdfast.internal.event.EventArguments;
import dev.holdfast.internal.event.store.StoredPayload;
import dev.holdfast.transaction.DatabaseException;
import dev.holdfast.transaction.SqlError;
import dev.holdfast.transaction.Transaction;
import dev.holdfast.transaction.TransactionCallback;
import dev.holdfast.transaction.Transactions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * {@link Events} on the tables of Holdfast: finds the transaction of each call, and checks
 * arguments.
 */
final class DefaultEvents implements Events {
  private static final int CHUNK = 2000;
  private static final int MAX_DEADLOCKS = 5;

  /** Longer than the idle timeout, so that a session that is cut off is outlasted. */
  private static final Duration LOCK_TIMEOUT = Duration.ofSeconds(15);

  private static final Duration IDLE_TIMEOUT = Duration.ofSeconds(10);
  private final EventBackend home;

  /** Finds the transaction to join. */
  private final Transactions joining;

  /** For new transactions that lock keys or events. */
  private final Transactions locking;

  private final EventScheduler scheduling;
  private final EventCommands changing;
  private final EventQueries queries;
  private final EventReplayer replaying;

  DefaultEvents(EventBackend home, Transactions joining) {
    this(home, joining, LOCK_TIMEOUT);
  }

  private DefaultEvents(EventBackend home, Transactions joining, Duration lockTimeout) {
    this.home = home;
    this.joining = joining;
    EventBackend changed = locking(home, lockTimeout);
    this.locking = changed.transactions();
    this.scheduling = new EventScheduler(home);
    this.queries = new EventQueries(home);
    this.changing = new EventCommands(changed, queries);
    this.replaying = new EventReplayer(changed, queries);
  }

  /** The same, with transactions that lock keys, events, pauses and limits. */
  static EventBackend locking(EventBackend home) {
    return locking(home, LOCK_TIMEOUT);
  }

  private static EventBackend locking(EventBackend home, Duration lockTimeout) {
    return home.with(home.transactions().lockTimeout(lockTimeout).idleTimeout(IDLE_TIMEOUT));
  }

  @Override
  public Events lockTimeout(Duration timeout) {
    return new DefaultEvents(home, joining, Require.notNull(timeout, "timeout"));
  }

  @Override
  public EventScheduleResult schedule(Transaction tx, Event<?> event) {
    return scheduleAll(tx, List.of(Require.notNull(event, "event"))).get(0);
  }

  @Override
  public EventScheduleResult schedule(Event<?> event) {
    return scheduleAll(List.of(Require.notNull(event, "event"))).get(0);
  }

  @Override
  public List<EventScheduleResult> scheduleAll(
      Transaction tx, Collection<? extends Event<?>> events) {
    return scheduling.schedule(tx, Require.notNull(events, "events"));
  }

  @Override
  public List<EventScheduleResult> scheduleAll(Collection<? extends Event<?>> events) {
    Require.notNull(events, "events");
    // those without a key lock nothing that others wait for
    Transactions own =
        events.stream().anyMatch(event -> event != null && event.key() != null)
            ? locking
            : home.transactions();
    return joining.<List<EventScheduleResult>, RuntimeException>joinToWrite(
        "scheduling events",
        tx -> scheduling.schedule(tx, events),
        () -> scheduleAlone(own, events));
  }

  private List<EventScheduleResult> scheduleAlone(
      Transactions own, Collection<? extends Event<?>> events) {
    for (int attempt = 1; ; attempt++) {
      try {
        return own.<List<EventScheduleResult>, RuntimeException>call(
            tx -> scheduling.schedule(tx, events));
      } catch (DatabaseException e) {
        if (e.error() != SqlError.DEADLOCK || attempt == MAX_DEADLOCKS) {
          throw e;
        }
      }
    }
  }

  @Override
  public long scheduleAll(Stream<? extends Event<?>> events) {
    joining.requireNone("scheduling a stream of events");
    long scheduled = 0;
    Iterator<? extends Event<?>> rest = Require.notNull(events, "events").iterator();
    while (rest.hasNext()) {
      List<Event<?>> chunk = new ArrayList<>(CHUNK);
      while (rest.hasNext() && chunk.size() < CHUNK) {
        chunk.add(rest.next());
      }
      scheduled +=
          scheduleAll(chunk).stream()
              .filter(EventScheduleResult.Scheduled.class::isInstance)
              .count();
    }
    return scheduled;
  }

  @Override
  public Optional<EventRecord> find(EventId id) {
    Require.notNull(id, "id");
    return reading(tx -> queries.find(tx, id));
  }

  @Override
  public Optional<EventRecord> find(Transaction tx, EventId id) {
    Require.notNull(id, "id");
    return queries.find(tx, id);
  }

  @Override
  public List<EventRecord> findAll(Collection<EventId> ids) {
    Require.notNull(ids, "ids");
    return reading(tx -> queries.findAll(tx, ids));
  }

  @Override
  public List<EventRecord> findAll(Transaction tx, Collection<EventId> ids) {
    Require.notNull(ids, "ids");
    return queries.findAll(tx, ids);
  }

  @Override
  public <P> EventTemplate template(Event<P> event) {
    Require.notNull(event, "event");
    Require.that(
        event.at() == null
            && event.delay() == null
            && event.key() == null
            && event.deadline() == null
            && event.concurrencyKey() == null,
        () ->
            "a template must have no time, key, deadline or concurrency key of its own, was "
                + event);
    StoredPayload payload = home.encode(event.type(), event.payload());
    return new EventTemplate(
        event.type().name(),
        event.queue(),
        event.priority(),
        event.tags(),
        event.orderingKey(),
        payload.text(),
        payload.bytes());
  }

  @Override
  public Optional<EventRecord> findByKey(String key) {
    EventArguments.requireKey(key, "the key");
    return reading(tx -> queries.findByKey(tx, key));
  }

  @Override
  public Optional<EventRecord> findByKey(Transaction tx, String key) {
    EventArguments.requireKey(key, "the key");
    return queries.findByKey(tx, key);
  }

  @Override
  public EventPage find(EventFilter filter) {
    Require.notNull(filter, "filter");
    return reading(tx -> queries.find(tx, filter));
  }

  @Override
  public EventPage find(Transaction tx, EventFilter filter) {
    return queries.find(tx, Require.notNull(filter, "filter"));
  }

  @Override
  public EventReplayResult replay(EventId id) {
    return replayed(Require.notNull(id, "id"), null, null);
  }

  @Override
  public EventReplayResult replay(Transaction tx, EventId id) {
    return replaying.replay(tx, Require.notNull(id, "id"), null, null);
  }

  @Override
  public EventReplayResult replayByKey(String key) {
    EventArguments.requireKey(key, "the key");
    return joining.<EventReplayResult, RuntimeException>joinToWrite(
        "replaying an event",
        tx -> replayByKey(tx, key),
        () -> {
          Optional<EventRecord> found = findByKey(key);
          return found.isPresent() ? replay(found.get().id()) : new EventReplayResult.NotFound();
        });
  }

  @Override
  public EventReplayResult replayByKey(Transaction tx, String key) {
    Optional<EventRecord> found = findByKey(tx, key);
    return found.isPresent() ? replay(tx, found.get().id()) : new EventReplayResult.NotFound();
  }

  @Override
  public <P> EventReplayResult replay(EventId id, EventType<P> type, P payload) {
    Require.notNull(payload, "payload");
    Require.notNull(type, "type");
    return replayed(Require.notNull(id, "id"), type, home.encode(type, payload));
  }

  @Override
  public <P> EventReplayResult replay(Transaction tx, EventId id, EventType<P> type, P payload) {
    StoredPayload other = payload(type, payload);
    return replaying.replay(tx, Require.notNull(id, "id"), type, other);
  }

  private EventReplayResult replayed(
      EventId id, @Nullable EventType<?> type, @Nullable StoredPayload payload) {
    return joining.<EventReplayResult, RuntimeException>joinToWrite(
        "replaying an event",
        tx -> replaying.replay(tx, id, type, payload),
        () -> replaying.replay(id, type, payload));
  }

  @Override
  public long replayAll(EventFilter filter) {
    joining.requireNone("replaying all events of a filter");
    return replaying.replayAll(Require.notNull(filter, "filter"));
  }

  @Override
  public long countReplayable(EventFilter filter) {
    return replaying.count(Require.notNull(filter, "filter"));
  }

  @Override
  public EventChangeResult cancel(EventId id, int version, String reason) {
    Require.notNull(reason, "reason");
    return changed(tx -> changing.cancel(tx, id, version, reason));
  }

  @Override
  public EventChangeResult cancel(Transaction tx, EventId id, int version, String reason) {
    Require.notNull(reason, "reason");
    return changing.cancel(tx, id, version, reason);
  }

  @Override
  public EventChangeResult cancelByKey(String key, String reason) {
    Require.notNull(reason, "reason");
    return changed(tx -> byKey(tx, key, (id, version) -> changing.cancel(tx, id, version, reason)));
  }

  @Override
  public EventChangeResult cancelByKey(Transaction tx, String key, String reason) {
    Require.notNull(reason, "reason");
    return byKey(tx, key, (id, version) -> changing.cancel(tx, id, version, reason));
  }

  @Override
  public EventChangeResult change(EventId id, int version, EventChange change) {
    Require.notNull(change, "change");
    return changed(tx -> changing.change(tx, id, version, change));
  }

  @Override
  public EventChangeResult change(Transaction tx, EventId id, int version, EventChange change) {
    Require.notNull(change, "change");
    return changing.change(tx, id, version, change);
  }

  @Override
  public EventChangeResult changeByKey(String key, EventChange change) {
    Require.notNull(change, "change");
    return changed(tx -> byKey(tx, key, (id, version) -> changing.change(tx, id, version, change)));
  }

  @Override
  public EventChangeResult changeByKey(Transaction tx, String key, EventChange change) {
    Require.notNull(change, "change");
    return byKey(tx, key, (id, version) -> changing.change(tx, id, version, change));
  }

  private EventChangeResult byKey(Transaction tx, String key, EventCommands.Seen wanted) {
    EventArguments.requireKey(key, "the key");
    return changing.found(() -> queries.findByKey(tx, key), wanted);
  }

  @Override
  public <P> EventChangeResult changePayload(
      EventId id, int version, EventType<P> type, P payload) {
    StoredPayload other = payload(type, payload);
    return changed(tx -> changing.change(tx, id, version, type, other));
  }

  @Override
  public <P> EventChangeResult changePayload(
      Transaction tx, EventId id, int version, EventType<P> type, P payload) {
    StoredPayload other = payload(type, payload);
    return changing.change(tx, id, version, type, other);
  }

  private <P> StoredPayload payload(EventType<P> type, P payload) {
    Require.notNull(payload, "payload");
    return home.encode(Require.notNull(type, "type"), payload);
  }

  @Override
  public EventChangeResult requestCancellation(EventId id, int version) {
    return changed(tx -> changing.requestCancel(tx, id, version));
  }

  @Override
  public EventChangeResult requestCancellation(Transaction tx, EventId id, int version) {
    return changing.requestCancel(tx, id, version);
  }

  @Override
  public EventChangeResult requestCancellationByKey(String key) {
    return changed(tx -> byKey(tx, key, (id, version) -> changing.requestCancel(tx, id, version)));
  }

  @Override
  public EventChangeResult requestCancellationByKey(Transaction tx, String key) {
    return byKey(tx, key, (id, version) -> changing.requestCancel(tx, id, version));
  }

  private EventChangeResult changed(Change change) {
    return joining.<EventChangeResult, RuntimeException>joinToWrite(
        "changing an event",
        change::in,
        () -> locking.<EventChangeResult, RuntimeException>call(change::in));
  }

  private <T> T reading(TransactionCallback<T, RuntimeException> work) {
    return joining.<T, RuntimeException>joinToRead(
        work, () -> home.transactions().<T, RuntimeException>call(work));
  }

  private interface Change {
    EventChangeResult in(Transaction tx);
  }
}
