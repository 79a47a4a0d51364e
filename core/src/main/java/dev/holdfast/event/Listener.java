package dev.holdfast.event;

import dev.holdfast.event.internal.Signals;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hears the signals of other instances on a connection of its own.
 *
 * <p>Behind a pooler that gives each transaction another connection, one would listen and never
 * hear anything: so it sends itself a probe, when it begins and every half minute, and says that it
 * hears only once that has come back. Thread-safe.
 */
final class Listener {
  private static final Logger LOG = LoggerFactory.getLogger(Worker.class);
  private static final String LISTENING = "listening to signals";
  private static final Duration STEP = Duration.ofMillis(500);
  private static final long PROBE_EVERY_NANOS = TimeUnit.SECONDS.toNanos(30);
  private static final long PROBE_PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(5);
  private static final long PAUSE_MILLIS = 1000;

  private final EventHome home;
  private final Consumer<String> heard;
  private final Troubles troubles;
  private volatile boolean stopped;
  private volatile boolean hears;

  Listener(EventHome home, Consumer<String> heard, Troubles troubles) {
    this.home = home;
    this.heard = heard;
    this.troubles = troubles;
  }

  /** Whether signals arrive, so that looking can be rare. */
  boolean hears() {
    return hears;
  }

  /** Ends {@link #run()}, at once where it can be told by a signal. */
  void stop() {
    stopped = true;
    if (hears) {
      try {
        sendElsewhere(Signal.probe("stop"));
      } catch (RuntimeException e) {
        LOG.debug("it ends after its step", e);
      }
    }
  }

  void run() {
    while (!stopped && home.store().signals().exist()) {
      try (Connection connection = home.dataSource().getConnection()) {
        listen(connection, home.store().signals());
      } catch (SQLException | RuntimeException | Error e) {
        if (!stopped && troubles.failed(LISTENING, e)) {
          LOG.info("signals are not heard, looking instead: {}", e.toString());
        }
      } finally {
        hears = false;
      }
      pause();
    }
  }

  private void listen(Connection connection, Signals signals) throws SQLException {
    if (!connection.getAutoCommit()) {
      connection.setAutoCommit(true);
    }
    signals.listen(connection);
    try {
      hear(connection, signals);
    } finally {
      unlisten(connection, signals);
    }
  }

  /** The connection may be one of a pool, and go on with others, who never fetch what it hears. */
  private static void unlisten(Connection connection, Signals signals) {
    try {
      signals.unlisten(connection);
    } catch (SQLException e) {
      LOG.debug("a connection that is lost hears nothing", e);
    }
  }

  private void hear(Connection connection, Signals signals) throws SQLException {
    // what was scheduled before this moment was announced to nobody
    heard.accept(Signal.LOOK);
    String probe = "";
    long probed = System.nanoTime() - PROBE_EVERY_NANOS;
    while (!stopped) {
      long now = System.nanoTime();
      if (probe.isEmpty() && now - probed >= PROBE_EVERY_NANOS) {
        probe = Signal.probe(UUID.randomUUID().toString());
        probed = now;
        sendElsewhere(probe);
      }
      for (String text : signals.receive(connection, STEP)) {
        if (text.equals(probe)) {
          probe = "";
          hears = true;
          troubles.over(LISTENING);
        } else {
          heard.accept(text);
        }
      }
      if (!probe.isEmpty() && System.nanoTime() - probed > PROBE_PATIENCE_NANOS) {
        throw new SQLException(
            "a signal that was sent did not arrive; is there a pooler in between?");
      }
    }
  }

  /** On another connection: one hears what it sends itself even behind a pooler. */
  private void sendElsewhere(String probe) {
    home.step(
        () -> "sending a probe",
        connection -> {
          home.store().signals().send(connection, probe);
          return true;
        });
  }

  private void pause() {
    try {
      Thread.sleep(PAUSE_MILLIS);
    } catch (InterruptedException e) {
      // only stopping ends it
    }
  }
}
