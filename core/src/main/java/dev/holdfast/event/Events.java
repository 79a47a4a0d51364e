package dev.holdfast.event;

import dev.holdfast.ConflictException;
import dev.holdfast.transaction.Transaction;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

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
 * current transaction it opens a new one, and commits it before it returns. Guarantee: of all calls
 * that schedule the same key exactly one is {@code Scheduled}, for as long as that event is known,
 * live or in the history; others wait for one that is about to commit.
 *
 * <p>Waits are bounded: a new transaction waits up to {@link #lockTimeout} for a key or an event
 * that another session holds, and the database ends its session if it is idle for 10 s, because its
 * process is suspended or cut off (not on H2). In a joined transaction the settings of its
 * connection count. Immutable and thread-safe.
 */
public interface Events {
  /**
   * With new transactions that wait no longer than this for each key or event that another session
   * holds; 15 s by default. MariaDB and MySQL count whole seconds, rounded up.
   */
  Events lockTimeout(Duration timeout);

  /**
   * Schedules an event in this transaction.
   *
   * @throws ConflictException if another session has inserted its key and does not end its
   *     transaction within the lock timeout of the connection
   */
  EventScheduleResult schedule(Transaction tx, Event<?> event);

  /**
   * Schedules an event.
   *
   * @throws ConflictException if another session has inserted its key and does not end its
   *     transaction within {@link #lockTimeout}
   */
  EventScheduleResult schedule(Event<?> event);

  /**
   * Schedules events in this transaction, and returns the results in the given order. Keys are
   * locked in sorted order, so that calls with the same keys do not deadlock, except if the given
   * order of an ordering key forbids it.
   */
  List<EventScheduleResult> scheduleAll(Transaction tx, Collection<? extends Event<?>> events);

  /** Schedules events, all or none, and returns the results in the given order. */
  List<EventScheduleResult> scheduleAll(Collection<? extends Event<?>> events);

  /**
   * Schedules any number of events, in one transaction for each few thousand of them, so a failure
   * on the way leaves those before it scheduled. Give them keys if that matters.
   *
   * @return how many were new
   * @throws dev.holdfast.transaction.TransactionStateException inside a current transaction
   */
  long scheduleAll(Stream<? extends Event<?>> events);

  /** An event, live or ended. */
  Optional<EventRecord> find(EventId id);

  /** An event, live or ended, as this transaction sees it. */
  Optional<EventRecord> find(Transaction tx, EventId id);

  /** Those of these events that are known, live or ended; in any order. */
  List<EventRecord> findAll(Collection<EventId> ids);

  /** As {@link #findAll(Collection)}, as this transaction sees them. */
  List<EventRecord> findAll(Transaction tx, Collection<EventId> ids);

  /**
   * The event as a template of others. One that has a time, a key, a deadline or a concurrency key
   * is refused: these are not for more than one event.
   */
  <P> EventTemplate template(Event<P> event);

  /** The event that has this key, live or ended. */
  Optional<EventRecord> findByKey(String key);

  /** The event that has this key, live or ended, as this transaction sees it. */
  Optional<EventRecord> findByKey(Transaction tx, String key);

  /** Events, live and ended alike, by what is known of them; the newest first. */
  EventPage find(EventFilter filter);

  /** As {@link #find(EventFilter)}, as this transaction sees them. */
  EventPage find(Transaction tx, EventFilter filter);

  /**
   * Schedules an ended event once more, due at once: a new event with the same type, payload,
   * queue, priority, tags, ordering key and concurrency key, that knows which one it repeats, as
   * that one knows what it was replayed as. The key stays with the first.
   *
   * <p>Guarantee: of all calls that replay an event, at any time, exactly one does. The event that
   * it was replayed as can be replayed in its turn when it has ended.
   */
  EventReplayResult replay(EventId id);

  /**
   * As {@link #replay(EventId)}, in this transaction. If that is stricter than READ COMMITTED and
   * does not see what others have replayed, it fails as a serialization failure.
   */
  EventReplayResult replay(Transaction tx, EventId id);

  /** As {@link #replay(EventId)}, of the event that has this key. */
  EventReplayResult replayByKey(String key);

  /** As {@link #replay(Transaction, EventId)}, of the event that has this key. */
  EventReplayResult replayByKey(Transaction tx, String key);

  /**
   * As {@link #replay(EventId)}, with another payload.
   *
   * @throws dev.holdfast.InvalidArgumentException if the type is not the event's; nothing is done
   */
  <P> EventReplayResult replay(EventId id, EventType<P> type, P payload);

  /** As {@link #replay(EventId, EventType, Object)}, in this transaction. */
  <P> EventReplayResult replay(Transaction tx, EventId id, EventType<P> type, P payload);

  /**
   * Replays every ended event that the filter finds and that was not replayed yet, page by page,
   * each page in a transaction of its own. {@link #countReplayable} returns before how many that
   * are.
   *
   * <p>Guarantee: each event is replayed once, however often and by how many this is called at the
   * same time. A replayed event that fails again is one that was not replayed yet. A filter that
   * does not name statuses, or names all of them, takes those that failed or were cancelled only:
   * to do once more what has completed, {@link EventStatus#COMPLETED} must be named.
   *
   * @return how many were replayed
   * @throws dev.holdfast.transaction.TransactionStateException inside a current transaction
   */
  long replayAll(EventFilter filter);

  /**
   * How many ended events {@link #replayAll} would replay with this filter: those that were
   * replayed do not count, nor do completed ones unless they are named. Reads all that it counts.
   */
  long countReplayable(EventFilter filter);

  /** Cancels a pending event of this version. */
  EventChangeResult cancel(EventId id, int version, String reason);

  /** Cancels a pending event of this version in this transaction. */
  EventChangeResult cancel(Transaction tx, EventId id, int version, String reason);

  /** Cancels the event that has this key, in whatever version, if it is pending. */
  EventChangeResult cancelByKey(String key, String reason);

  /** As {@link #cancelByKey(String, String)}, in this transaction. */
  EventChangeResult cancelByKey(Transaction tx, String key, String reason);

  /** Makes a pending event of this version due at another time. */
  default EventChangeResult reschedule(EventId id, int version, Instant dueAt) {
    return change(id, version, EventChange.create().at(dueAt));
  }

  /** Makes a pending event of this version due at another time, in this transaction. */
  default EventChangeResult reschedule(Transaction tx, EventId id, int version, Instant dueAt) {
    return change(tx, id, version, EventChange.create().at(dueAt));
  }

  /**
   * Makes a pending event of this version due after this delay, by the clock of the database; at
   * once with {@link Duration#ZERO}.
   */
  default EventChangeResult reschedule(EventId id, int version, Duration delay) {
    return change(id, version, EventChange.create().delay(delay));
  }

  /** As {@link #reschedule(EventId, int, Duration)}, in this transaction. */
  default EventChangeResult reschedule(Transaction tx, EventId id, int version, Duration delay) {
    return change(tx, id, version, EventChange.create().delay(delay));
  }

  /** Makes the event that has this key due at another time, in whatever version, if pending. */
  default EventChangeResult rescheduleByKey(String key, Instant dueAt) {
    return changeByKey(key, EventChange.create().at(dueAt));
  }

  /** As {@link #rescheduleByKey(String, Instant)}, in this transaction. */
  default EventChangeResult rescheduleByKey(Transaction tx, String key, Instant dueAt) {
    return changeByKey(tx, key, EventChange.create().at(dueAt));
  }

  /** Changes a pending event of this version in all that is said, or in nothing. */
  EventChangeResult change(EventId id, int version, EventChange change);

  /** As {@link #change(EventId, int, EventChange)}, in this transaction. */
  EventChangeResult change(Transaction tx, EventId id, int version, EventChange change);

  /** Changes the event that has this key, in whatever version, if it is pending. */
  EventChangeResult changeByKey(String key, EventChange change);

  /** As {@link #changeByKey(String, EventChange)}, in this transaction. */
  EventChangeResult changeByKey(Transaction tx, String key, EventChange change);

  /** Gives a pending event of this version another priority. */
  default EventChangeResult changePriority(EventId id, int version, int priority) {
    return change(id, version, EventChange.create().priority(priority));
  }

  /** As {@link #changePriority(EventId, int, int)}, in this transaction. */
  default EventChangeResult changePriority(Transaction tx, EventId id, int version, int priority) {
    return change(tx, id, version, EventChange.create().priority(priority));
  }

  /**
   * Gives a pending event of this version another payload.
   *
   * @throws dev.holdfast.InvalidArgumentException if the type is not the event's; nothing is
   *     changed
   */
  <P> EventChangeResult changePayload(EventId id, int version, EventType<P> type, P payload);

  /** As {@link #changePayload(EventId, int, EventType, Object)}, in this transaction. */
  <P> EventChangeResult changePayload(
      Transaction tx, EventId id, int version, EventType<P> type, P payload);

  /**
   * Asks the handler of a running event of this version to stop. {@code Applied} means that it is
   * asked: it may still come to its end before it notices.
   */
  EventChangeResult requestCancellation(EventId id, int version);

  /** As {@link #requestCancellation(EventId, int)}, in this transaction: asked at its commit. */
  EventChangeResult requestCancellation(Transaction tx, EventId id, int version);

  /** Asks the handler of the event that has this key to stop, in whatever version, if it runs. */
  EventChangeResult requestCancellationByKey(String key);

  /** As {@link #requestCancellationByKey(String)}, in this transaction: asked at its commit. */
  EventChangeResult requestCancellationByKey(Transaction tx, String key);
}
