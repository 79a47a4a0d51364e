package dev.holdfast.internal.event.engine;

import dev.holdfast.event.EventFilter;
import dev.holdfast.event.EventId;
import dev.holdfast.event.EventPage;
import dev.holdfast.event.EventRecord;
import dev.holdfast.internal.event.store.KeyOwner;
import dev.holdfast.internal.sql.SqlBuilder;
import dev.holdfast.transaction.Transaction;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Finds events, live and ended, in all shards. */
final class EventQueries {
  /** Across shards too: by number, then by shard. */
  private static final Comparator<EventRecord> NEWEST_FIRST =
      Comparator.comparing(
          EventRecord::id,
          Comparator.comparingLong(EventId::id).thenComparingInt(EventId::shard).reversed());

  private final EventBackend home;

  EventQueries(EventBackend home) {
    this.home = home;
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

  Optional<EventRecord> findByKey(Transaction tx, String key) {
    try {
      // an event of a schedule is in the shard of its ordering key, which is not known
      for (int shard = 0; shard < home.shards(); shard++) {
        Optional<KeyOwner> taken = home.store().takenKey(tx.connection(), shard, key);
        if (taken.isPresent()) {
          return home.store().find(tx.connection(), shard, taken.get().id());
        }
      }
      return Optional.empty();
    } catch (SQLException e) {
      throw SqlBuilder.failed(tx, "finding the event of the key '" + key + "'", e);
    }
  }

  EventPage find(Transaction tx, EventFilter filter) {
    try {
      return find(tx.connection(), filter, false);
    } catch (SQLException e) {
      throw SqlBuilder.failed(tx, "finding events", e);
    }
  }

  /** In a new transaction; leaves out those that were replayed. */
  EventPage findNotReplayed(EventFilter filter) {
    return home.call(() -> "finding events", connection -> find(connection, filter, true));
  }

  private EventPage find(Connection connection, EventFilter filter, boolean notReplayed)
      throws SQLException {
    List<EventRecord> found = new ArrayList<>();
    EventId before = filter.cursor();
    for (int shard = 0; shard < home.shards(); shard++) {
      // in the shards before that of the last one its own number has been shown already
      long below = before == null ? Long.MAX_VALUE : before.id() + (shard < before.shard() ? 1 : 0);
      found.addAll(home.store().search(connection, shard, filter, below, notReplayed));
    }
    found.sort(NEWEST_FIRST);
    boolean more = found.size() >= filter.pageSize();
    List<EventRecord> page = found.subList(0, Math.min(found.size(), filter.pageSize()));
    return new EventPage(
        page, more ? Optional.of(page.get(page.size() - 1).id()) : Optional.empty());
  }
}
