package dev.holdfast.event;

import dev.holdfast.ConflictException;
import dev.holdfast.internal.Require;
import dev.holdfast.internal.event.store.StoredPayload;
import dev.holdfast.transaction.DatabaseException;
import dev.holdfast.transaction.SqlError;
import dev.holdfast.transaction.Transaction;
import dev.holdfast.transaction.TransactionCallback;
import dev.holdfast.transaction.Transactions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Schedules, finds and changes events.
 *
 * <pre>{@code
 * holdfast.events().schedule(BIRTHDAY.event(new Birthday(42, "Ana")).at(nineOClock));
 * }</pre>
 *
 * <p>A call runs in the {@link Transaction} that it is given, or else in the current one of the
 * thread: that of {@code holdfast.transactions()}, of a transactional handler or of the framework.
 * The event is there, changed or cancelled if and only if that transaction commits. Without a
 * current transaction it opens a new one, and commits it before it returns. Guarantee: of all who
 * schedule the same key exactly one is {@code Scheduled}, for as long as that event is known, live
 * or in the history; others wait for one who is about to commit.
 *
 * <p>Waits are bounded: a new transaction waits up to {@link #lockTimeout} for a key or an event
 * that another session holds, and the database ends its session if it is idle for 10 s, because its
 * process is suspended or cut off (not on H2). In a joined transaction the settings of its
 * connection count. Immutable and thread-safe.
 */
public final class Events {
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
  private final EventQueries finding;
  private final EventReplayer replaying;

  Events(EventBackend home, Transactions joining) {
    this(home, joining, LOCK_TIMEOUT);
  }

  private Events(EventBackend home, Transactions joining, Duration lockTimeout) {
    this.home = home;
    this.joining = joining;
    EventBackend changed = locking(home, lockTimeout);
    this.locking = changed.transactions();
    this.scheduling = new EventScheduler(home);
    this.changing = new EventCommands(changed, joining);
    this.finding = new EventQueries(home);
    this.replaying = new EventReplayer(changed, finding);
  }

  /** The same, with transactions that lock keys, events, pauses and limits. */
  static EventBackend locking(EventBackend home) {
    return locking(home, LOCK_TIMEOUT);
  }

  private static EventBackend locking(EventBackend home, Duration lockTimeout) {
    return home.with(home.transactions().lockTimeout(lockTimeout).idleTimeout(IDLE_TIMEOUT));
  }

  /**
   * With new transactions that wait no longer than this for each key or event that another session
   * holds; 15 s by default. MariaDB and MySQL count whole seconds, rounded up.
   */
  public Events lockTimeout(Duration timeout) {
    return new Events(home, joining, Require.notNull(timeout, "timeout"));
  }

  /**
   * Schedules an event in this transaction.
   *
   * @throws ConflictException where another session has inserted its key and does not end its
   *     transaction within the lock timeout of the connection
   */
  public EventScheduleResult schedule(Transaction tx, Event<?> event) {
    return scheduleAll(tx, List.of(Require.notNull(event, "event"))).get(0);
  }

  /**
   * Schedules an event.
   *
   * @throws ConflictException where another session has inserted its key and does not end its
   *     transaction within {@link #lockTimeout}
   */
  public EventScheduleResult schedule(Event<?> event) {
    return scheduleAll(List.of(Require.notNull(event, "event"))).get(0);
  }

  /**
   * Schedules events in this transaction, and returns the results in the given order. Keys are
   * locked in sorted order, so that calls with the same keys do not deadlock, except where the
   * given order of an ordering key forbids it.
   */
  public List<EventScheduleResult> scheduleAll(
      Transaction tx, Collection<? extends Event<?>> events) {
    return scheduling.schedule(tx, Require.notNull(events, "events"));
  }

  /** Schedules events, all or none, and returns the results in the given order. */
  public List<EventScheduleResult> scheduleAll(Collection<? extends Event<?>> events) {
    Require.notNull(events, "events");
    // those without a key lock nothing that others wait for
    Transactions own =
        events.stream().anyMatch(event -> event != null && event.options().key() != null)
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

  /**
   * Schedules any number of events, in one transaction for each few thousand of them, so a failure
   * on the way leaves those before it scheduled. Give them keys if that matters.
   *
   * @return how many were new
   * @throws dev.holdfast.transaction.TransactionStateException inside a current transaction
   */
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

  /** An event, live or ended. */
  public Optional<EventRecord> find(EventId id) {
    Require.notNull(id, "id");
    return reading(tx -> changing.find(tx, id));
  }

  /** An event, live or ended, as this transaction sees it. */
  public Optional<EventRecord> find(Transaction tx, EventId id) {
    Require.notNull(id, "id");
    return changing.find(tx, id);
  }

  /** Those of these events that are known, live or ended; in any order. */
  public List<EventRecord> findAll(Collection<EventId> ids) {
    Require.notNull(ids, "ids");
    return reading(tx -> changing.findAll(tx, ids));
  }

  /** As {@link #findAll(Collection)}, as this transaction sees them. */
  public List<EventRecord> findAll(Transaction tx, Collection<EventId> ids) {
    Require.notNull(ids, "ids");
    return changing.findAll(tx, ids);
  }

  /**
   * The event as a template of others. One that has a time, a key, a deadline or a concurrency key
   * is refused: these are not for more than one event.
   */
  public <P> EventTemplate template(Event<P> event) {
    EventOptions options = Require.notNull(event, "event").options();
    Require.that(
        options.at() == null
            && options.after() == null
            && options.key() == null
            && options.uselessAt() == null
            && options.limitKey() == null,
        () ->
            "a template must have no time, key, deadline or concurrency key of its own, was "
                + event);
    StoredPayload payload = event.type().write(event.payload(), home.codecs());
    return new EventTemplate(
        event.type().name(),
        options.queue(),
        options.priority(),
        options.tags(),
        options.orderingKey(),
        payload.text(),
        payload.bytes());
  }

  /** The event that has this key, live or ended. */
  public Optional<EventRecord> findByKey(String key) {
    Event.requireKey(key, "the key");
    return reading(tx -> scheduling.findByKey(tx, key));
  }

  /** The event that has this key, live or ended, as this transaction sees it. */
  public Optional<EventRecord> findByKey(Transaction tx, String key) {
    Event.requireKey(key, "the key");
    return scheduling.findByKey(tx, key);
  }

  /** Events, live and ended alike, by what is known of them; the newest first. */
  public EventPage find(EventFilter filter) {
    Require.notNull(filter, "filter");
    return reading(tx -> finding.find(tx, filter));
  }

  /** As {@link #find(EventFilter)}, as this transaction sees them. */
  public EventPage find(Transaction tx, EventFilter filter) {
    return finding.find(tx, Require.notNull(filter, "filter"));
  }

  /**
   * Schedules an ended event once more, due at once: a new event with the same type, payload,
   * queue, priority, tags, ordering key and concurrency key, that knows which one it repeats, as
   * that one knows what it was replayed as. The key stays with the first.
   *
   * <p>Guarantee: of all who replay an event, at any time, exactly one does. The event that it was
   * replayed as can be replayed in its turn when it has ended.
   */
  public EventReplayResult replay(EventId id) {
    return replayed(Require.notNull(id, "id"), null, null);
  }

  /**
   * As {@link #replay(EventId)}, in this transaction. If that is stricter than READ COMMITTED and
   * does not see what others have replayed, it fails as a serialization failure.
   */
  public EventReplayResult replay(Transaction tx, EventId id) {
    return replaying.replay(tx, Require.notNull(id, "id"), null, null);
  }

  /** As {@link #replay(EventId)}, of the event that has this key. */
  public EventReplayResult replayByKey(String key) {
    Event.requireKey(key, "the key");
    return joining.<EventReplayResult, RuntimeException>joinToWrite(
        "replaying an event",
        tx -> replayByKey(tx, key),
        () -> {
          Optional<EventRecord> found = findByKey(key);
          return found.isPresent() ? replay(found.get().id()) : new EventReplayResult.NotFound();
        });
  }

  /** As {@link #replay(Transaction, EventId)}, of the event that has this key. */
  public EventReplayResult replayByKey(Transaction tx, String key) {
    Optional<EventRecord> found = findByKey(tx, key);
    return found.isPresent() ? replay(tx, found.get().id()) : new EventReplayResult.NotFound();
  }

  /**
   * As {@link #replay(EventId)}, with another payload.
   *
   * @throws dev.holdfast.InvalidArgumentException if the type is not the event's; nothing is done
   */
  public <P> EventReplayResult replay(EventId id, EventType<P> type, P payload) {
    Require.notNull(payload, "payload");
    Require.notNull(type, "type");
    return replayed(Require.notNull(id, "id"), type, type.write(payload, home.codecs()));
  }

  /** As {@link #replay(EventId, EventType, Object)}, in this transaction. */
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

  /**
   * Replays every ended event that the filter finds and that was not replayed yet, page by page,
   * each page in a transaction of its own. {@link #countReplayable} tells before how many that are.
   *
   * <p>Guarantee: each event is replayed once, however often and by how many this is called at the
   * same time. A replayed event that fails again is one that was not replayed yet. A filter that
   * does not name statuses, or names all of them, takes those that failed or were cancelled only:
   * to do once more what has completed, {@link EventStatus#COMPLETED} must be named.
   *
   * @return how many were replayed
   * @throws dev.holdfast.transaction.TransactionStateException inside a current transaction
   */
  public long replayAll(EventFilter filter) {
    joining.requireNone("replaying all events of a filter");
    return replaying.replayAll(Require.notNull(filter, "filter"));
  }

  /**
   * How many ended events {@link #replayAll} would replay with this filter: those that were
   * replayed do not count, nor do completed ones unless they are named. Reads all that it counts.
   */
  public long countReplayable(EventFilter filter) {
    return replaying.count(Require.notNull(filter, "filter"));
  }

  /** Cancels a pending event of this version. */
  public EventChangeResult cancel(EventId id, int version, String reason) {
    Require.notNull(reason, "reason");
    return changed(tx -> changing.cancel(tx, id, version, reason));
  }

  /** Cancels a pending event of this version in this transaction. */
  public EventChangeResult cancel(Transaction tx, EventId id, int version, String reason) {
    Require.notNull(reason, "reason");
    return changing.cancel(tx, id, version, reason);
  }

  /** Cancels the event that has this key, in whatever version, if it is pending. */
  public EventChangeResult cancelByKey(String key, String reason) {
    Require.notNull(reason, "reason");
    return changed(tx -> byKey(tx, key, (id, version) -> changing.cancel(tx, id, version, reason)));
  }

  /** As {@link #cancelByKey(String, String)}, in this transaction. */
  public EventChangeResult cancelByKey(Transaction tx, String key, String reason) {
    Require.notNull(reason, "reason");
    return byKey(tx, key, (id, version) -> changing.cancel(tx, id, version, reason));
  }

  /** Makes a pending event of this version due at another time. */
  public EventChangeResult reschedule(EventId id, int version, Instant dueAt) {
    return change(id, version, EventChange.create().at(dueAt));
  }

  /** Makes a pending event of this version due at another time, in this transaction. */
  public EventChangeResult reschedule(Transaction tx, EventId id, int version, Instant dueAt) {
    return change(tx, id, version, EventChange.create().at(dueAt));
  }

  /**
   * Makes a pending event of this version due after this delay, by the clock of the database; at
   * once with {@link Duration#ZERO}.
   */
  public EventChangeResult reschedule(EventId id, int version, Duration delay) {
    return change(id, version, EventChange.create().delay(delay));
  }

  /** As {@link #reschedule(EventId, int, Duration)}, in this transaction. */
  public EventChangeResult reschedule(Transaction tx, EventId id, int version, Duration delay) {
    return change(tx, id, version, EventChange.create().delay(delay));
  }

  /** Makes the event that has this key due at another time, in whatever version, if pending. */
  public EventChangeResult rescheduleByKey(String key, Instant dueAt) {
    return changeByKey(key, EventChange.create().at(dueAt));
  }

  /** As {@link #rescheduleByKey(String, Instant)}, in this transaction. */
  public EventChangeResult rescheduleByKey(Transaction tx, String key, Instant dueAt) {
    return changeByKey(tx, key, EventChange.create().at(dueAt));
  }

  /** Changes a pending event of this version in all that is said, or in nothing. */
  public EventChangeResult change(EventId id, int version, EventChange change) {
    Require.notNull(change, "change");
    return changed(tx -> changing.change(tx, id, version, change));
  }

  /** As {@link #change(EventId, int, EventChange)}, in this transaction. */
  public EventChangeResult change(Transaction tx, EventId id, int version, EventChange change) {
    Require.notNull(change, "change");
    return changing.change(tx, id, version, change);
  }

  /** Changes the event that has this key, in whatever version, if it is pending. */
  public EventChangeResult changeByKey(String key, EventChange change) {
    Require.notNull(change, "change");
    return changed(tx -> byKey(tx, key, (id, version) -> changing.change(tx, id, version, change)));
  }

  /** As {@link #changeByKey(String, EventChange)}, in this transaction. */
  public EventChangeResult changeByKey(Transaction tx, String key, EventChange change) {
    Require.notNull(change, "change");
    return byKey(tx, key, (id, version) -> changing.change(tx, id, version, change));
  }

  private EventChangeResult byKey(Transaction tx, String key, EventCommands.Seen wanted) {
    Event.requireKey(key, "the key");
    return changing.found(() -> scheduling.findByKey(tx, key), wanted);
  }

  /** Gives a pending event of this version another priority. */
  public EventChangeResult changePriority(EventId id, int version, int priority) {
    return change(id, version, EventChange.create().priority(priority));
  }

  /** As {@link #changePriority(EventId, int, int)}, in this transaction. */
  public EventChangeResult changePriority(Transaction tx, EventId id, int version, int priority) {
    return change(tx, id, version, EventChange.create().priority(priority));
  }

  /**
   * Gives a pending event of this version another payload.
   *
   * @throws dev.holdfast.InvalidArgumentException if the type is not the event's; nothing is
   *     changed
   */
  public <P> EventChangeResult changePayload(
      EventId id, int version, EventType<P> type, P payload) {
    StoredPayload other = payload(type, payload);
    return changed(tx -> changing.change(tx, id, version, type, other));
  }

  /** As {@link #changePayload(EventId, int, EventType, Object)}, in this transaction. */
  public <P> EventChangeResult changePayload(
      Transaction tx, EventId id, int version, EventType<P> type, P payload) {
    StoredPayload other = payload(type, payload);
    return changing.change(tx, id, version, type, other);
  }

  private <P> StoredPayload payload(EventType<P> type, P payload) {
    Require.notNull(payload, "payload");
    return Require.notNull(type, "type").write(payload, home.codecs());
  }

  /**
   * Asks the handler of a running event of this version to stop. {@code Applied} means that it is
   * asked: it may still come to its end before it notices.
   */
  public EventChangeResult requestCancellation(EventId id, int version) {
    return changed(tx -> changing.requestCancel(tx, id, version));
  }

  /** As {@link #requestCancellation(EventId, int)}, in this transaction: asked at its commit. */
  public EventChangeResult requestCancellation(Transaction tx, EventId id, int version) {
    return changing.requestCancel(tx, id, version);
  }

  /** Asks the handler of the event that has this key to stop, in whatever version, if it runs. */
  public EventChangeResult requestCancellationByKey(String key) {
    return changed(tx -> byKey(tx, key, (id, version) -> changing.requestCancel(tx, id, version)));
  }

  /** As {@link #requestCancellationByKey(String)}, in this transaction: asked at its commit. */
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
