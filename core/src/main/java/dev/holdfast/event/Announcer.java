package dev.holdfast.event;

import dev.holdfast.event.internal.NewEvent;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * Tells workers that there is something to do in a queue, at most once in a while for each queue: a
 * transaction that announces something waits at its commit for all others that do.
 *
 * <p>The announcement is a part of the transaction in which the events are scheduled. What is
 * scheduled within the while after one is found by workers that are awake, or by looking.
 * Thread-safe.
 */
final class Announcer {
  private static final long WHILE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
  private static final Duration SOON = Duration.ofSeconds(1);
  private static final int MOST_QUEUES = 1000;

  private final Map<String, Long> lastNanos = new ConcurrentHashMap<>();

  /** Announces events that are due soon; {@code at} is left to the workers' own look. */
  void announce(Connection connection, EventHome home, Collection<NewEvent> events)
      throws SQLException {
    if (!home.store().signals().exist()) {
      return;
    }
    for (NewEvent event : events) {
      if (event.at() == null && (event.after() == null || event.after().compareTo(SOON) < 0)) {
        announce(connection, home, event.queue());
      }
    }
  }

  private void announce(Connection connection, EventHome home, String queue) throws SQLException {
    long now = System.nanoTime();
    Long last = lastNanos.get(queue);
    if (last != null && now - last < WHILE_NANOS) {
      return;
    }
    if (lastNanos.size() > MOST_QUEUES) {
      lastNanos.clear();
    }
    lastNanos.put(queue, now);
    home.store().signals().send(connection, Signal.queue(queue));
  }
}
