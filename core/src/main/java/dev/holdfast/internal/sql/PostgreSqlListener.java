package dev.holdfast.internal.sql;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * {@code LISTEN} on one channel of PostgreSQL, on a connection of its own, in the thread that runs
 * it, for as long as somebody wants to hear.
 *
 * <p>Behind a pooler that gives each transaction another connection, one would listen and never
 * hear anything: so it sends itself a probe, when it begins and whenever it has heard nothing for
 * ten seconds, and says that it hears only once that has come back. A connection whose packets are
 * dropped silently is given up soon after. Thread-safe.
 */
public final class PostgreSqlListener {
  private static final Logger LOG = LoggerFactory.getLogger(PostgreSqlListener.class);
  private static final int MIN_POOL_SIZE = 4;
  private static final Duration STEP = Duration.ofMillis(250);
  private static final long PROBE_EVERY_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final long PROBE_PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(5);

  /** How long what was heard proves that it still hears: until a probe must have come back. */
  private static final long PROVEN_NANOS = PROBE_EVERY_NANOS + 2 * PROBE_PATIENCE_NANOS;

  private static final Duration NETWORK_TIMEOUT = Duration.ofSeconds(5);
  private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final String PROBE = "probe ";

  private final DataSource dataSource;
  private final String channel;
  private final Ear ear;
  private volatile boolean hears;
  private volatile long heardNanos = System.nanoTime();

  /** Who wants to hear; called by the thread that listens. */
  public interface Ear {
    /** Whether to go on; asked a few times a second. */
    boolean wants();

    void heard(String text);

    /**
     * From now on what is sent is heard, or is not any more. What was sent before, or is sent from
     * now on, was missed.
     */
    void hears(boolean now);

    /** Nothing is heard for now; it is tried again in a second. */
    void failed(Throwable why);
  }

  public PostgreSqlListener(DataSource dataSource, String channel, Ear ear) {
    this.dataSource = dataSource;
    this.channel = channel;
    this.ear = ear;
  }

  /** Whether a pool can spare a connection for it, and another one for probes. */
  public static boolean isAffordable(DataSource dataSource) {
    return PoolSize.of(dataSource).orElse(Integer.MAX_VALUE) >= MIN_POOL_SIZE;
  }

  /** Sends a text when the transaction of the connection commits. */
  public static void send(Connection connection, String channel, String text) throws SQLException {
    try (PreparedStatement notify = connection.prepareStatement("SELECT pg_notify(?, ?)")) {
      notify.setString(1, channel);
      notify.setString(2, text);
      notify.execute();
    }
  }

  /** Whether what is sent is heard, as was proven a short time ago. */
  public boolean hears() {
    return hears && System.nanoTime() - heardNanos < PROVEN_NANOS;
  }

  /** Listens until nobody wants to hear any more. */
  public void run() {
    while (ear.wants()) {
      try (Connection connection = dataSource.getConnection()) {
        boolean unused =
            NetworkTimeout.run(
                connection,
                NETWORK_TIMEOUT,
                limited -> AutocommitRunner.run(limited, this::listen));
      } catch (SQLException | RuntimeException | Error e) {
        ear.failed(e);
      } finally {
        hears = false;
        ear.hears(false);
      }
      if (ear.wants()) {
        LockSupport.parkNanos(PAUSE_NANOS);
        // only who wants no more ends it
        boolean unused = Thread.interrupted();
      }
    }
  }

  /** Makes it look at once whether it is still wanted. */
  public void wake() {
    if (hears()) {
      try {
        sendElsewhere(PROBE + "wake");
      } catch (SQLException | RuntimeException e) {
        LOG.debug("could not wake the listener; it continues after its interval", e);
      }
    }
  }

  private boolean listen(Connection connection) throws SQLException {
    PostgreSqlNotifications.listen(connection, channel);
    try {
      hear(connection);
    } finally {
      PostgreSqlNotifications.stop(connection, channel);
    }
    return true;
  }

  private void hear(Connection connection) throws SQLException {
    String probe = "";
    heardNanos = System.nanoTime() - PROBE_EVERY_NANOS;
    long probed = heardNanos;
    while (ear.wants()) {
      if (probe.isEmpty() && System.nanoTime() - heardNanos >= PROBE_EVERY_NANOS) {
        probe = PROBE + UUID.randomUUID();
        sendElsewhere(probe);
        probed = System.nanoTime();
      }
      for (String text : PostgreSqlNotifications.receive(connection, STEP)) {
        heardNanos = System.nanoTime();
        if (text.equals(probe)) {
          probe = "";
          if (!hears) {
            hears = true;
            ear.hears(true);
          }
        } else if (!text.startsWith(PROBE)) {
          ear.heard(text);
        }
      }
      if (!probe.isEmpty() && System.nanoTime() - probed > PROBE_PATIENCE_NANOS) {
        throw new SQLException(
            "a signal that was sent did not arrive; is there a pooler in between?");
      }
    }
  }

  /** On another connection: one hears what it sends itself even behind a pooler. */
  private void sendElsewhere(String text) throws SQLException {
    try (Connection other = dataSource.getConnection()) {
      boolean unused =
          NetworkTimeout.run(
              other,
              NETWORK_TIMEOUT,
              limited ->
                  AutocommitRunner.run(
                      limited,
                      connection -> {
                        send(connection, channel, text);
                        return true;
                      }));
    }
  }
}
