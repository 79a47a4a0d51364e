package dev.holdfast.cache.internal;

import dev.holdfast.cache.CacheStore;
import dev.holdfast.sql.internal.Notifications;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * {@code LISTEN} for all caches on one store, on a connection of its own, in a thread of its own,
 * for as long as somebody listens.
 *
 * <p>Behind a pooler that gives each transaction another connection, one would listen and never
 * hear anything: so it sends itself a probe, when it begins and every half minute, and says that it
 * hears only once that has come back.
 */
final class CacheListening {
  static final String CHANNEL = "holdfast_cache";

  private static final Logger LOG = LoggerFactory.getLogger(CacheStore.class);
  private static final Duration STEP = Duration.ofMillis(250);
  private static final long PROBE_EVERY_NANOS = TimeUnit.SECONDS.toNanos(30);
  private static final long PROBE_PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(5);
  private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final DataSource dataSource;
  private final Set<CacheStore.Listener> listeners = ConcurrentHashMap.newKeySet();
  private boolean running;
  private volatile boolean hears;

  CacheListening(DataSource dataSource) {
    this.dataSource = dataSource;
  }

  synchronized CacheStore.Subscription subscribe(CacheStore.Listener listener) {
    listeners.add(listener);
    if (!running) {
      running = true;
      Thread thread = new Thread(this::run, "holdfast-cache-listener");
      thread.setDaemon(true);
      thread.start();
    }
    return new CacheStore.Subscription() {
      @Override
      public boolean hears() {
        return hears;
      }

      @Override
      public void close() {
        listeners.remove(listener);
      }
    };
  }

  private synchronized boolean isOver() {
    if (listeners.isEmpty()) {
      running = false;
    }
    return !running;
  }

  private void run() {
    while (!isOver()) {
      try (Connection connection = dataSource.getConnection()) {
        listen(connection);
      } catch (SQLException | RuntimeException e) {
        LOG.debug("changes of cached values are not heard, asking instead", e);
      } finally {
        hears = false;
      }
      if (!listeners.isEmpty()) {
        LockSupport.parkNanos(PAUSE_NANOS);
      }
    }
  }

  private void listen(Connection connection) throws SQLException {
    if (!connection.getAutoCommit()) {
      connection.setAutoCommit(true);
    }
    Notifications.listen(connection, CHANNEL);
    try {
      hear(connection);
    } finally {
      Notifications.stop(connection, CHANNEL);
    }
  }

  private void hear(Connection connection) throws SQLException {
    String probe = "";
    long probed = System.nanoTime() - PROBE_EVERY_NANOS;
    while (!listeners.isEmpty()) {
      long now = System.nanoTime();
      if (probe.isEmpty() && now - probed >= PROBE_EVERY_NANOS) {
        probe = "P" + UUID.randomUUID();
        probed = now;
        sendElsewhere(probe);
      }
      for (String text : Notifications.receive(connection, STEP)) {
        if (text.equals(probe)) {
          probe = "";
          if (!hears) {
            hears = true;
            listeners.forEach(CacheStore.Listener::missed);
          }
        } else {
          pass(text);
        }
      }
      if (!probe.isEmpty() && System.nanoTime() - probed > PROBE_PATIENCE_NANOS) {
        throw new SQLException(
            "a signal that was sent did not arrive; is there a pooler in between?");
      }
    }
  }

  private void pass(String text) {
    if (text.startsWith("I")) {
      listeners.forEach(listener -> listener.invalidated(text.substring(1)));
    } else if (text.startsWith("C")) {
      listeners.forEach(listener -> listener.changed(text.substring(1)));
    }
  }

  /** On another connection: one hears what it sends itself even behind a pooler. */
  private void sendElsewhere(String probe) throws SQLException {
    try (Connection other = dataSource.getConnection()) {
      boolean before = other.getAutoCommit();
      if (!before) {
        other.setAutoCommit(true);
      }
      try (PreparedStatement notify = other.prepareStatement("SELECT pg_notify(?, ?)")) {
        notify.setString(1, CHANNEL);
        notify.setString(2, probe);
        notify.execute();
      }
      if (!before) {
        other.setAutoCommit(false);
      }
    }
  }
}
