package dev.holdfast.internal.event.engine;

import dev.holdfast.internal.event.store.NewEvent;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * Tells workers that there is something to do in a queue, at most once in a while for each queue: a
 * transaction that announces something waits at its commit for all others that do.
 *
 * <p>The announcement is a part of the transaction in which the events are scheduled. What is
 * scheduled within the while after one is found by workers that look once more after it.
 * Thread-safe.
 */
final class EventNotifier {
  private static final long WHILE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
  private static final Duration SOON = Duration.ofSeconds(10);
  private static final int MAX_QUEUES = 1000;

  private final Map<String, Long> lastNanos = new ConcurrentHashMap<>();

  /** Announces events that are due before workers look by themselves, or may be. */
  void announce(Connection connection, EventBackend home, Collection<NewEvent> events)
      throws SQLException {
    if (!home.store().signals().exist()) {
      return;
    }
    // only a hint, for which this machine's clock is good enough
    Instant soon = Instant.now().plus(SOON);
    for (NewEvent event : events) {
      if (isSoon(event, soon)) {
        announce(connection, home, event.queue());
      }
    }
  }

  private static boolean isSoon(NewEvent event, Instant soon) {
    if (event.at() != null) {
      return event.at().isBefore(soon);
    }
    return event.after() == null || event.after().compareTo(SOON) < 0;
  }

  private void announce(Connection connection, EventBackend home, String queue)
      throws SQLException {
    long now = System.nanoTime();
    Long last = lastNanos.get(queue);
    if (last != null && now - last < WHILE_NANOS) {
      return;
    }
    if (lastNanos.size() > MAX_QUEUES) {
      lastNanos.clear();
    }
    lastNanos.put(queue, now);
    home.store().signals().send(connection, NotificationText.queue(queue));
  }
}
