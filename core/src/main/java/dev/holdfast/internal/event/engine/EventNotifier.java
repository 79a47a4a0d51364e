package dev.holdfast.internal.event.engine;

import dev.holdfast.internal.event.store.NewEvent;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * Notifies workers of new events in a queue, at most once in 20 ms for each queue: a transaction
 * that notifies waits at its commit for all others that do.
 *
 * <p>The notification is a part of the transaction in which the events are scheduled. Events that
 * are scheduled within 20 ms after it are found by workers that poll once more after it.
 * Thread-safe.
 */
final class EventNotifier {
  /** Notifies that pauses, limits or running events have changed. */
  static final String CHANGED = "look";

  private static final String QUEUE = "queue ";
  private static final long INTERVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
  private static final Duration SOON = Duration.ofSeconds(10);
  private static final int MAX_QUEUES = 1000;

  private final Map<String, Long> lastNanos = new ConcurrentHashMap<>();

  /** The queue that has new events according to a notification; empty if it is another one. */
  static Optional<String> queueOf(String notification) {
    return notification.startsWith(QUEUE)
        ? Optional.of(notification.substring(QUEUE.length()))
        : Optional.empty();
  }

  /** Notifies of events that are due before workers poll by themselves, or may be. */
  void notify(Connection connection, EventBackend home, Collection<NewEvent> events)
      throws SQLException {
    if (!home.store().signals().exist()) {
      return;
    }
    // only a hint, for which this machine's clock is good enough
    Instant soon = Instant.now().plus(SOON);
    for (NewEvent event : events) {
      if (isSoon(event, soon)) {
        notify(connection, home, event.queue());
      }
    }
  }

  private static boolean isSoon(NewEvent event, Instant soon) {
    if (event.at() != null) {
      return event.at().isBefore(soon);
    }
    return event.after() == null || event.after().compareTo(SOON) < 0;
  }

  private void notify(Connection connection, EventBackend home, String queue) throws SQLException {
    long now = System.nanoTime();
    Long last = lastNanos.get(queue);
    if (last != null && now - last < INTERVAL_NANOS) {
      return;
    }
    if (lastNanos.size() > MAX_QUEUES) {
      lastNanos.clear();
    }
    lastNanos.put(queue, now);
    home.store().signals().send(connection, QUEUE + queue);
  }
}
