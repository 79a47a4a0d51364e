package dev.holdfast.internal.event.engine;

import dev.holdfast.ConflictException;
import dev.holdfast.event.Event;
import dev.holdfast.event.EventId;
import dev.holdfast.event.EventRecord;
import dev.holdfast.event.EventScheduleResult;
import dev.holdfast.internal.Require;
import dev.holdfast.internal.event.store.KeyOwner;
import dev.holdfast.internal.event.store.NewEvent;
import dev.holdfast.internal.event.store.StoredPayload;
import dev.holdfast.internal.sql.SqlBuilder;
import dev.holdfast.transaction.SqlError;
import dev.holdfast.transaction.Transaction;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Validates new events and inserts them: many at once if they have no key, one by one if they do,
 * in the order of {@link StoringOrder}.
 */
final class EventScheduler {
  /** How often a key may be taken for the insert and free for the look. */
  private static final int MAX_ATTEMPTS = 5;

  private final EventBackend home;
  private final EventNotifier notifier = new EventNotifier();

  EventScheduler(EventBackend home) {
    this.home = home;
  }

  List<EventScheduleResult> schedule(Transaction tx, Collection<? extends Event<?>> events) {
    tx.requireWritable(() -> "scheduling " + events.size() + " events");
    Map<Integer, List<NewEvent>> byShard = new TreeMap<>();
    Map<Integer, List<Integer>> places = new TreeMap<>();
    // all are checked and written before the first is sent
    List<Asked> asked = new ArrayList<>(events.size());
    events.forEach(event -> asked.add(asked(Require.notNull(event, "event"))));
    @Nullable EventScheduleResult[] results = new @Nullable EventScheduleResult[asked.size()];
    try {
      for (int place : StoringOrder.of(asked.stream().map(Asked::event).toList())) {
        Asked one = asked.get(place);
        NewEvent stored = one.event;
        int shard = home.shardOf(stored.key(), stored.orderingKey());
        if (stored.key() != null && isBehind(stored, byShard.get(shard))) {
          insert(tx, shard, byShard, places, results);
        }
        if (stored.key() == null) {
          byShard.computeIfAbsent(shard, ignored -> new ArrayList<>()).add(stored);
          places.computeIfAbsent(shard, ignored -> new ArrayList<>()).add(place);
        } else {
          results[place] = keyed(tx, shard, one);
        }
      }
      for (int shard : List.copyOf(byShard.keySet())) {
        insert(tx, shard, byShard, places, results);
      }
    } catch (SQLException e) {
      throw SqlBuilder.failed(tx, "scheduling " + events.size() + " events", e);
    }
    List<EventScheduleResult> all = new ArrayList<>(results.length);
    Arrays.asList(results).forEach(result -> all.add(Require.notNull(result, "a result")));
    return all;
  }

  /** Whether one of those before it, which are not inserted yet, has its ordering key. */
  private static boolean isBehind(NewEvent event, @Nullable List<NewEvent> before) {
    String orderingKey = event.orderingKey();
    return orderingKey != null
        && before != null
        && before.stream().anyMatch(one -> orderingKey.equals(one.orderingKey()));
  }

  /** Inserts those of a shard that have no key, and have not been inserted yet. */
  private void insert(
      Transaction tx,
      int shard,
      Map<Integer, List<NewEvent>> byShard,
      Map<Integer, List<Integer>> places,
      @Nullable EventScheduleResult[] results)
      throws SQLException {
    List<NewEvent> batch = Require.notNull(byShard.remove(shard), "batch");
    List<Integer> where = Require.notNull(places.remove(shard), "places");
    List<Long> ids = home.store().insert(tx.connection(), shard, batch);
    notifier.notify(tx.connection(), home, batch);
    for (int i = 0; i < ids.size(); i++) {
      results[where.get(i)] = new EventScheduleResult.Scheduled(new EventId(shard, ids.get(i)));
    }
  }

  private record Asked(NewEvent event, String fingerprint, Event.OnDuplicate onDuplicate) {}

  private Asked asked(Event<?> event) {
    requireDeadlineAfterDue(event);
    requireOneShard(event);
    NewEvent stored = stored(event);
    String own = event.fingerprint();
    StoredPayload compared = own == null ? stored.payload() : new StoredPayload(own, null);
    return new Asked(
        stored,
        stored.key() == null ? "" : compared.fingerprint(stored.type()),
        event.onDuplicate());
  }

  private static void requireDeadlineAfterDue(Event<?> event) {
    Instant due = event.at();
    Instant deadline = event.deadline();
    Require.that(
        due == null || deadline == null || !deadline.isBefore(due),
        () ->
            "the deadline of '"
                + event.type()
                + "' must not be before it is due at "
                + due
                + ", was "
                + deadline);
  }

  /** Whether nothing but its key keeps it from being scheduled twice. */
  private static boolean needsItsKey(Event<?> event) {
    return event.key() != null && !event.isFromTemplate();
  }

  /** Keys are unique within a shard, and the ordering key would choose another one. */
  private void requireOneShard(Event<?> event) {
    String key = event.key();
    String orderingKey = event.orderingKey();
    Require.that(
        home.shards() == 1 || !needsItsKey(event) || orderingKey == null || orderingKey.equals(key),
        () ->
            "with several shards an event that has a key must have no ordering key or the same, was"
                + " the ordering key '"
                + orderingKey
                + "' with the key '"
                + key
                + "' (event '"
                + event.type()
                + "', "
                + home.shards()
                + " shards)");
  }

  private <P> NewEvent stored(Event<P> event) {
    return new NewEvent(
        event.type().name(),
        event.queue(),
        event.priority(),
        event.at(),
        event.delay(),
        event.deadline(),
        event.key(),
        event.orderingKey(),
        event.concurrencyKey(),
        event.tags().isEmpty() ? null : " " + String.join(" ", event.tags()) + " ",
        null,
        payload(event));
  }

  private <P> StoredPayload payload(Event<P> event) {
    return home.encode(event.type(), event.payload());
  }

  private EventScheduleResult keyed(Transaction tx, int shard, Asked asked) throws SQLException {
    NewEvent event = asked.event;
    String fingerprint = asked.fingerprint;
    String key = Require.notNull(event.key(), "key");
    for (int attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      OptionalLong id =
          taking(
              tx, key, () -> home.store().insertKeyed(tx.connection(), shard, event, fingerprint));
      if (id.isPresent()) {
        notifier.notify(tx.connection(), home, List.of(event));
        return new EventScheduleResult.Scheduled(new EventId(shard, id.getAsLong()));
      }
      Optional<KeyOwner> taken = home.store().takenKey(tx.connection(), shard, key);
      if (taken.isPresent()) {
        Optional<EventScheduleResult> answer = taken(tx, shard, asked, taken.get());
        if (answer.isPresent()) {
          return answer.get();
        }
      }
    }
    throw new ConflictException(
        "event-key-conflict",
        "event key '" + key + "'",
        "Cannot schedule the event with the key '"
            + key
            + "': in "
            + MAX_ATTEMPTS
            + " attempts the key was neither free nor found. Other transactions create and delete"
            + " it, or it is newer than the snapshot of this transaction. Retry in a new"
            + " transaction.",
        null);
  }

  private interface Taking {
    OptionalLong id() throws SQLException;
  }

  /** Takes a key; fails if another session holds it for too long. */
  private static OptionalLong taking(Transaction tx, String key, Taking taking)
      throws SQLException {
    try {
      return taking.id();
    } catch (SQLException e) {
      if (SqlError.of(e) != SqlError.LOCK_TIMEOUT) {
        throw e;
      }
      ConflictException locked =
          new ConflictException(
              "event-key-locked",
              "event key '" + key + "'",
              "Cannot schedule the event with the key '"
                  + key
                  + "': another session has inserted the same key in a transaction that did not end"
                  + " before the lock timeout. Roll back and retry. If it happens again, look for a"
                  + " session that is idle in a transaction.",
              e);
      tx.setRollbackOnly(locked);
      throw locked;
    }
  }

  /** Empty if what was found is not there any more. */
  private Optional<EventScheduleResult> taken(
      Transaction tx, int shard, Asked asked, KeyOwner taken) throws SQLException {
    NewEvent event = asked.event;
    String fingerprint = asked.fingerprint;
    Event.OnDuplicate mode = asked.onDuplicate;
    Optional<EventRecord> existing = home.store().find(tx.connection(), shard, taken.id());
    if (existing.isEmpty()) {
      OptionalLong id =
          taking(
              tx,
              String.valueOf(event.key()),
              () -> home.store().takeOver(tx.connection(), shard, event, fingerprint, taken.id()));
      if (id.isEmpty()) {
        return Optional.empty();
      }
      notifier.notify(tx.connection(), home, List.of(event));
      return Optional.of(new EventScheduleResult.Scheduled(new EventId(shard, id.getAsLong())));
    }
    EventRecord found = existing.get();
    if (mode == Event.OnDuplicate.REJECT_DIFFERENT && !taken.fingerprint().equals(fingerprint)) {
      return Optional.of(new EventScheduleResult.PayloadDiffers(found));
    }
    if (mode == Event.OnDuplicate.REPLACE_PENDING) {
      OptionalInt version =
          home.store().replace(tx.connection(), shard, taken.id(), event, fingerprint);
      if (version.isPresent()) {
        notifier.notify(tx.connection(), home, List.of(event));
        return Optional.of(new EventScheduleResult.Replaced(found.id(), version.getAsInt()));
      }
    }
    return Optional.of(new EventScheduleResult.AlreadyScheduled(found));
  }
}
