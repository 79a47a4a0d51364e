package dev.holdfast.lease.internal;

import dev.holdfast.lease.LeaseStore;
import dev.holdfast.sql.internal.Autocommit;
import dev.holdfast.sql.internal.Notifications;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * {@code LISTEN} on a connection of its own, in a thread of its own, until it is closed.
 *
 * <p>Behind a pooler that gives each transaction another connection, one would listen and never
 * hear anything: so it sends itself a probe, when it begins and every half minute, and says that it
 * hears only once that has come back.
 */
final class PostgreSqlSubscription implements LeaseStore.Subscription {
  private static final Logger LOG = LoggerFactory.getLogger(LeaseStore.class);
  private static final Duration STEP = Duration.ofMillis(250);
  private static final long PROBE_EVERY_NANOS = TimeUnit.SECONDS.toNanos(30);
  private static final long PROBE_PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(5);
  private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final DataSource dataSource;
  private final LeaseStore.Listener listener;
  private volatile boolean closed;
  private volatile boolean hears;

  private PostgreSqlSubscription(DataSource dataSource, LeaseStore.Listener listener) {
    this.dataSource = dataSource;
    this.listener = listener;
  }

  static PostgreSqlSubscription start(DataSource dataSource, LeaseStore.Listener listener) {
    PostgreSqlSubscription started = new PostgreSqlSubscription(dataSource, listener);
    Thread thread = new Thread(started::run, "holdfast-lease-listener");
    thread.setDaemon(true);
    thread.start();
    return started;
  }

  @Override
  public boolean hears() {
    return hears;
  }

  @Override
  public void close() {
    closed = true;
  }

  private void run() {
    while (!closed) {
      try (Connection connection = dataSource.getConnection()) {
        listen(connection);
      } catch (SQLException | RuntimeException e) {
        LOG.debug("releases of leases are not heard, asking instead", e);
      } finally {
        hears = false;
        // whoever relied on being told has to ask again
        listener.missed();
      }
      if (!closed) {
        LockSupport.parkNanos(PAUSE_NANOS);
      }
    }
  }

  private void listen(Connection connection) throws SQLException {
    if (!connection.getAutoCommit()) {
      connection.setAutoCommit(true);
    }
    Notifications.listen(connection, PostgreSqlHearing.CHANNEL);
    try {
      hear(connection);
    } finally {
      Notifications.stop(connection, PostgreSqlHearing.CHANNEL);
    }
  }

  private void hear(Connection connection) throws SQLException {
    String probe = "";
    long probed = System.nanoTime() - PROBE_EVERY_NANOS;
    while (!closed) {
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
            listener.missed();
          }
        } else {
          PostgreSqlHearing.hear(text, listener);
        }
      }
      if (!probe.isEmpty() && System.nanoTime() - probed > PROBE_PATIENCE_NANOS) {
        throw new SQLException(
            "a signal that was sent did not arrive; is there a pooler in between?");
      }
    }
  }

  /** On another connection: one hears what it sends itself even behind a pooler. */
  private void sendElsewhere(String probe) throws SQLException {
    try (Connection other = dataSource.getConnection()) {
      boolean unused =
          Autocommit.run(
              other,
              connection -> {
                PostgreSqlHearing.send(connection, probe);
                return true;
              });
    }
  }
}
