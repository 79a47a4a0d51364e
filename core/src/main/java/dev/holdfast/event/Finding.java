package dev.holdfast.event;

import dev.holdfast.event.internal.NewEvent;
import dev.holdfast.event.internal.Payload;
import dev.holdfast.internal.Require;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Finds events, and replays those that have ended. */
final class Finding {
  /** Across shards too: by number, then by shard. */
  private static final Comparator<EventRecord> NEWEST_FIRST =
      Comparator.comparing(
          EventRecord::id,
          Comparator.comparingLong(EventId::id).thenComparingInt(EventId::shard).reversed());

  private final EventHome home;
  private final Announcer announcer = new Announcer();

  Finding(EventHome home) {
    this.home = home;
  }

  EventPage find(EventFilter filter) {
    return home.call(() -> "finding events", connection -> find(connection, filter));
  }

  private EventPage find(Connection connection, EventFilter filter) throws SQLException {
    List<EventRecord> found = new ArrayList<>();
    EventId before = filter.before();
    for (int shard = 0; shard < home.shards(); shard++) {
      // in the shards before that of the last one its own number has been shown already
      long below = before == null ? Long.MAX_VALUE : before.id() + (shard < before.shard() ? 1 : 0);
      found.addAll(home.store().search(connection, shard, filter, below));
    }
    found.sort(NEWEST_FIRST);
    boolean more = found.size() >= filter.pageSize();
    List<EventRecord> page = found.subList(0, Math.min(found.size(), filter.pageSize()));
    return new EventPage(
        page, more ? Optional.of(page.get(page.size() - 1).id()) : Optional.empty());
  }

  /** Replays an event of this type, where one is given, with another payload. */
  Optional<EventId> replay(EventId id, @Nullable EventType<?> type, @Nullable Payload other) {
    return home.call(
        () -> "replaying the event " + id,
        connection -> {
          Optional<EventRecord> ended =
              home.store()
                  .find(connection, id.shard(), id.id())
                  .filter(event -> event.status().isEnded());
          if (ended.isEmpty()) {
            return Optional.empty();
          }
          EventRecord event = ended.get();
          Require.that(
              type == null || type.name().equals(event.type()),
              () ->
                  "the type of a payload must be that of the event, '"
                      + event.type()
                      + "', was '"
                      + type
                      + "' (event "
                      + id
                      + ")");
          return Optional.of(replay(connection, event, other));
        });
  }

  private EventId replay(Connection connection, EventRecord event, @Nullable Payload other)
      throws SQLException {
    NewEvent again =
        new NewEvent(
            event.type(),
            event.queue(),
            event.priority(),
            null,
            null,
            null,
            null,
            event.orderingKey(),
            event.limitKey(),
            event.tags().isEmpty() ? null : " " + String.join(" ", event.tags()) + " ",
            event.id().toString(),
            other == null ? new Payload(event.payload(), event.payloadBytes()) : other);
    int shard = event.id().shard();
    long id = home.store().insert(connection, shard, List.of(again)).get(0);
    announcer.announce(connection, home, List.of(again));
    return new EventId(shard, id);
  }

  long eachEnded(EventFilter filter, boolean replaying) {
    Set<EventStatus> ended = EnumSet.noneOf(EventStatus.class);
    filter.statuses().stream().filter(EventStatus::isEnded).forEach(ended::add);
    if (ended.isEmpty()) {
      return 0;
    }
    EventStatus first = ended.iterator().next();
    EventFilter rest = filter.status(first, ended.toArray(EventStatus[]::new));
    long count = 0;
    while (true) {
      EventFilter wanted = rest;
      EventPage page =
          home.call(
              () -> "replaying events",
              connection -> {
                EventPage found = find(connection, wanted);
                if (replaying) {
                  for (EventRecord event : found.events()) {
                    replay(connection, event, null);
                  }
                }
                return found;
              });
      count += page.events().size();
      if (page.next().isEmpty()) {
        return count;
      }
      rest = rest.before(page.next().get());
    }
  }
}
