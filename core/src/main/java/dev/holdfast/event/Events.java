package dev.holdfast.event;

import dev.holdfast.event.internal.Payload;
import dev.holdfast.internal.Require;
import dev.holdfast.sql.SqlError;
import dev.holdfast.sql.SqlFailedException;
import dev.holdfast.sql.Transaction;
import dev.holdfast.sql.Transactions;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Schedules, finds and changes events.
 *
 * <pre>{@code
 * holdfast.events().schedule(connection, BIRTHDAY.event(new Birthday(42, "Ana")).at(nineOClock));
 * }</pre>
 *
 * <p>With a connection everything happens in the caller's transaction: an event is there, changed
 * or cancelled if and only if that transaction commits. Without one it happens in a transaction of
 * its own. Guarantee: of all who schedule the same key exactly one is {@code Scheduled}, for as
 * long as that event is known, live or in the history; others wait for one who is about to commit.
 *
 * <p>Waits are bounded: a transaction of its own waits up to {@link #lockTimeout} for a key or an
 * event that another session holds, and the database ends its session where it is idle for 10 s,
 * because its process is suspended or cut off (not on H2). In the caller's transaction the settings
 * of the caller's connection count. Immutable and thread-safe.
 */
public final class Events {
  private static final int CHUNK = 2000;
  private static final int MOST_DEADLOCKS = 5;

  /** Longer than the idle timeout, so that a session that is cut off is outlasted. */
  private static final Duration LOCK_TIMEOUT = Duration.ofSeconds(15);

  private static final Duration IDLE_TIMEOUT = Duration.ofSeconds(10);

  private final EventHome home;

  /** For transactions of its own that lock keys or events. */
  private final Transactions locking;

  private final Scheduling scheduling;
  private final Changing changing;
  private final Finding finding;
  private final Replaying replaying;

  Events(EventHome home) {
    this(home, LOCK_TIMEOUT);
  }

  private Events(EventHome home, Duration lockTimeout) {
    this.home = home;
    EventHome changed = locking(home, lockTimeout);
    this.locking = changed.transactions();
    this.scheduling = new Scheduling(home);
    this.changing = new Changing(changed);
    this.finding = new Finding(home);
    this.replaying = new Replaying(changed, finding);
  }

  /** The same, with transactions that lock keys, events, pauses and limits. */
  static EventHome locking(EventHome home) {
    return locking(home, LOCK_TIMEOUT);
  }

  private static EventHome locking(EventHome home, Duration lockTimeout) {
    return home.with(home.transactions().lockTimeout(lockTimeout).idleTimeout(IDLE_TIMEOUT));
  }

  /**
   * With transactions of its own that wait no longer than this for each key or event that another
   * session holds; 15 s by default. MariaDB and MySQL count whole seconds, rounded up.
   */
  public Events lockTimeout(Duration timeout) {
    return new Events(home, Require.notNull(timeout, "timeout"));
  }

  /**
   * Schedules an event in the caller's transaction.
   *
   * @throws KeyLockedException where another session has inserted its key and does not end its
   *     transaction within the lock timeout of the connection
   */
  public EventScheduleResult schedule(Connection connection, Event<?> event) {
    return scheduleAll(connection, List.of(Require.notNull(event, "event"))).get(0);
  }

  /**
   * Schedules an event.
   *
   * @throws KeyLockedException where another session has inserted its key and does not end its
   *     transaction within {@link #lockTimeout}
   */
  public EventScheduleResult schedule(Event<?> event) {
    return scheduleAll(List.of(Require.notNull(event, "event"))).get(0);
  }

  /**
   * Schedules events in the caller's transaction, and answers in the given order. Keys are locked
   * in sorted order, so that calls with the same keys do not deadlock, except where the given order
   * of an ordering key forbids it.
   */
  public List<EventScheduleResult> scheduleAll(
      Connection connection, Collection<? extends Event<?>> events) {
    return scheduling.schedule(Transaction.on(connection), Require.notNull(events, "events"));
  }

  /** Schedules events, all or none, and answers in the given order. */
  public List<EventScheduleResult> scheduleAll(Collection<? extends Event<?>> events) {
    Require.notNull(events, "events");
    // those without a key lock nothing that others wait for
    Transactions own =
        events.stream().anyMatch(event -> event != null && event.options().key() != null)
            ? locking
            : home.transactions();
    for (int attempt = 1; ; attempt++) {
      try {
        return own.<List<EventScheduleResult>, RuntimeException>call(
            tx -> scheduling.schedule(tx, events));
      } catch (SqlFailedException e) {
        if (e.error() != SqlError.DEADLOCK || attempt == MOST_DEADLOCKS) {
          throw e;
        }
      }
    }
  }

  /**
   * Schedules any number of events, in one transaction for each few thousand of them, so a failure
   * on the way leaves those before it scheduled. Give them keys where that matters.
   *
   * @return how many were new
   */
  public long scheduleAll(Stream<? extends Event<?>> events) {
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
    return home.transactions()
        .<Optional<EventRecord>, RuntimeException>call(tx -> changing.find(tx, id));
  }

  /** An event, live or ended, as the caller's transaction sees it. */
  public Optional<EventRecord> find(Connection connection, EventId id) {
    Require.notNull(id, "id");
    return changing.find(Transaction.on(connection), id);
  }

  /**
   * Those of these events that are known, live or ended, as the caller's transaction sees them; in
   * any order.
   */
  public List<EventRecord> findAll(Connection connection, Collection<EventId> ids) {
    Require.notNull(ids, "ids");
    return changing.findAll(Transaction.on(connection), ids);
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
    Payload payload = event.type().write(event.payload(), home.codec());
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
    return home.transactions()
        .<Optional<EventRecord>, RuntimeException>call(tx -> scheduling.findByKey(tx, key));
  }

  /** The event that has this key, live or ended, as the caller's transaction sees it. */
  public Optional<EventRecord> findByKey(Connection connection, String key) {
    Event.requireKey(key, "the key");
    return scheduling.findByKey(Transaction.on(connection), key);
  }

  /** Events, live and ended alike, by what is known of them; the newest first. */
  public EventPage find(EventFilter filter) {
    return finding.find(Require.notNull(filter, "filter"));
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
    return replaying.replay(Require.notNull(id, "id"), null, null);
  }

  /**
   * As {@link #replay(EventId)}, in the caller's transaction. Where that is stricter than READ
   * COMMITTED and does not see what others have replayed, it fails as a serialization failure.
   */
  public EventReplayResult replay(Connection connection, EventId id) {
    return replaying.replay(Transaction.on(connection), Require.notNull(id, "id"), null, null);
  }

  /** As {@link #replay(EventId)}, of the event that has this key. */
  public EventReplayResult replayByKey(String key) {
    Optional<EventRecord> found = findByKey(key);
    return found.isPresent() ? replay(found.get().id()) : new EventReplayResult.NotFound();
  }

  /** As {@link #replay(Connection, EventId)}, of the event that has this key. */
  public EventReplayResult replayByKey(Connection connection, String key) {
    Optional<EventRecord> found = findByKey(connection, key);
    return found.isPresent()
        ? replay(connection, found.get().id())
        : new EventReplayResult.NotFound();
  }

  /**
   * As {@link #replay(EventId)}, with another payload.
   *
   * @throws dev.holdfast.InvalidArgumentException if the type is not the event's; nothing is done
   */
  public <P> EventReplayResult replay(EventId id, EventType<P> type, P payload) {
    Require.notNull(payload, "payload");
    Require.notNull(type, "type");
    return replaying.replay(Require.notNull(id, "id"), type, type.write(payload, home.codec()));
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
   */
  public long replayAll(EventFilter filter) {
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

  /** Cancels a pending event of this version in the caller's transaction. */
  public EventChangeResult cancel(Connection connection, EventId id, int version, String reason) {
    Require.notNull(reason, "reason");
    return changing.cancel(Transaction.on(connection), id, version, reason);
  }

  /** Cancels the event that has this key, in whatever version, if it is pending. */
  public EventChangeResult cancelByKey(String key, String reason) {
    Require.notNull(reason, "reason");
    return changed(tx -> byKey(tx, key, (id, version) -> changing.cancel(tx, id, version, reason)));
  }

  /** As {@link #cancelByKey(String, String)}, in the caller's transaction. */
  public EventChangeResult cancelByKey(Connection connection, String key, String reason) {
    Require.notNull(reason, "reason");
    Transaction tx = Transaction.on(connection);
    return byKey(tx, key, (id, version) -> changing.cancel(tx, id, version, reason));
  }

  /** Makes a pending event of this version due at another time. */
  public EventChangeResult reschedule(EventId id, int version, Instant dueAt) {
    return change(id, version, EventChange.create().at(dueAt));
  }

  /** Makes a pending event of this version due at another time, in the caller's transaction. */
  public EventChangeResult reschedule(
      Connection connection, EventId id, int version, Instant dueAt) {
    return change(connection, id, version, EventChange.create().at(dueAt));
  }

  /**
   * Makes a pending event of this version due after this delay, by the clock of the database; at
   * once with {@link Duration#ZERO}.
   */
  public EventChangeResult reschedule(EventId id, int version, Duration delay) {
    return change(id, version, EventChange.create().delay(delay));
  }

  /** Makes the event that has this key due at another time, in whatever version, if pending. */
  public EventChangeResult rescheduleByKey(String key, Instant dueAt) {
    return changeByKey(key, EventChange.create().at(dueAt));
  }

  /** As {@link #rescheduleByKey(String, Instant)}, in the caller's transaction. */
  public EventChangeResult rescheduleByKey(Connection connection, String key, Instant dueAt) {
    return changeByKey(connection, key, EventChange.create().at(dueAt));
  }

  /** Changes a pending event of this version in all that is said, or in nothing. */
  public EventChangeResult change(EventId id, int version, EventChange change) {
    Require.notNull(change, "change");
    return changed(tx -> changing.change(tx, id, version, change));
  }

  /** As {@link #change(EventId, int, EventChange)}, in the caller's transaction. */
  public EventChangeResult change(
      Connection connection, EventId id, int version, EventChange change) {
    Require.notNull(change, "change");
    return changing.change(Transaction.on(connection), id, version, change);
  }

  /** Changes the event that has this key, in whatever version, if it is pending. */
  public EventChangeResult changeByKey(String key, EventChange change) {
    Require.notNull(change, "change");
    return changed(tx -> byKey(tx, key, (id, version) -> changing.change(tx, id, version, change)));
  }

  /** As {@link #changeByKey(String, EventChange)}, in the caller's transaction. */
  public EventChangeResult changeByKey(Connection connection, String key, EventChange change) {
    Require.notNull(change, "change");
    Transaction tx = Transaction.on(connection);
    return byKey(tx, key, (id, version) -> changing.change(tx, id, version, change));
  }

  private EventChangeResult byKey(Transaction tx, String key, Changing.Seen wanted) {
    Event.requireKey(key, "the key");
    return changing.found(() -> scheduling.findByKey(tx, key), wanted);
  }

  /** Gives a pending event of this version another priority. */
  public EventChangeResult changePriority(EventId id, int version, int priority) {
    return change(id, version, EventChange.create().priority(priority));
  }

  /**
   * Gives a pending event of this version another payload.
   *
   * @throws dev.holdfast.InvalidArgumentException if the type is not the event's; nothing is
   *     changed
   */
  public <P> EventChangeResult changePayload(
      EventId id, int version, EventType<P> type, P payload) {
    Payload other = payload(type, payload);
    return changed(tx -> changing.change(tx, id, version, type, other));
  }

  /** As {@link #changePayload(EventId, int, EventType, Object)}, in the caller's transaction. */
  public <P> EventChangeResult changePayload(
      Connection connection, EventId id, int version, EventType<P> type, P payload) {
    Payload other = payload(type, payload);
    return changing.change(Transaction.on(connection), id, version, type, other);
  }

  private <P> Payload payload(EventType<P> type, P payload) {
    Require.notNull(payload, "payload");
    return Require.notNull(type, "type").write(payload, home.codec());
  }

  /**
   * Asks the handler of a running event of this version to stop. {@code Applied} means that it is
   * asked: it may still come to its end before it notices.
   */
  public EventChangeResult requestCancellation(EventId id, int version) {
    return changed(tx -> changing.requestCancel(tx, id, version));
  }

  /**
   * As {@link #requestCancellation(EventId, int)}, in the caller's transaction: asked at its
   * commit.
   */
  public EventChangeResult requestCancellation(Connection connection, EventId id, int version) {
    return changing.requestCancel(Transaction.on(connection), id, version);
  }

  /** Asks the handler of the event that has this key to stop, in whatever version, if it runs. */
  public EventChangeResult requestCancellationByKey(String key) {
    return changed(tx -> byKey(tx, key, (id, version) -> changing.requestCancel(tx, id, version)));
  }

  /**
   * As {@link #requestCancellationByKey(String)}, in the caller's transaction: asked at its commit.
   */
  public EventChangeResult requestCancellationByKey(Connection connection, String key) {
    Transaction tx = Transaction.on(connection);
    return byKey(tx, key, (id, version) -> changing.requestCancel(tx, id, version));
  }

  private EventChangeResult changed(Change change) {
    return locking.<EventChangeResult, RuntimeException>call(change::in);
  }

  private interface Change {
    EventChangeResult in(Transaction tx);
  }
}
