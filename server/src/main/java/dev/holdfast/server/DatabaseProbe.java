package dev.holdfast.server;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.context.SmartLifecycle;

/**
 * Asks the database all the time whether it is there, on a connection and a thread of its own, so
 * that whoever asks for readiness never waits, and is not misled by a pool that is merely busy.
 */
final class DatabaseProbe implements SmartLifecycle {
  private static final Duration PERIOD = Duration.ofSeconds(1);
  private static final int ANSWER_SECONDS = 2;

  /** Long enough for a period, an answer that is late, and a new connection. */
  private static final Duration FRESH = Duration.ofSeconds(5);

  private final Connector connector;
  private volatile long answeredNanos = System.nanoTime() - FRESH.toNanos();
  private @Nullable Thread thread;

  /** Opens a connection. */
  interface Connector {
    Connection connect() throws SQLException;
  }

  DatabaseProbe(Connector connector) {
    this.connector = connector;
  }

  /** How long ago the database has answered last. */
  Duration sinceAnswer() {
    return Duration.ofNanos(System.nanoTime() - answeredNanos);
  }

  boolean isAnswering() {
    return sinceAnswer().compareTo(FRESH) < 0;
  }

  @Override
  public synchronized void start() {
    answeredNanos = System.nanoTime(); // whoever gets here has migrated
    Thread started = new Thread(this::run, "holdfast-probe");
    started.setDaemon(true);
    started.start();
    thread = started;
  }

  @Override
  public synchronized void stop() {
    if (thread != null) {
      thread.interrupt();
      thread = null;
    }
  }

  @Override
  public synchronized boolean isRunning() {
    return thread != null;
  }

  private void run() {
    while (!Thread.currentThread().isInterrupted()) {
      try (Connection connection = connector.connect()) {
        while (connection.isValid(ANSWER_SECONDS)) {
          answeredNanos = System.nanoTime();
          Thread.sleep(PERIOD.toMillis());
        }
      } catch (SQLException e) {
        pause();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private static void pause() {
    try {
      Thread.sleep(PERIOD.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
