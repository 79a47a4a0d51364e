package dev.holdfast;

import java.time.Duration;

/**
 * A service with threads of its own: it is started and stopped, and reports its health.
 *
 * <p>A service that was built is not running: {@link #start} starts it. All its threads are daemons
 * with names that begin with {@code holdfast-}. An outage of the database does not end a service:
 * it goes on trying, and the outage is an issue of its {@link #health}. Thread-safe.
 */
public interface BackgroundService extends AutoCloseable {
  /** What it is, for logs and health, such as {@code worker}. */
  String name();

  /**
   * Starts it; does nothing if it is running. Does not wait for the database.
   *
   * @throws IllegalStateException after {@link #close}
   */
  void start();

  /**
   * Stops it: begins nothing new, and waits until running work has ended. User code that has not
   * ended within {@code timeout} is interrupted; statements of Holdfast are not. Returns a few
   * seconds after the timeout at the latest, also if the database does not respond. Does nothing if
   * it is not running. It can be started again.
   *
   * @return false if running work was interrupted or had not ended
   */
  boolean stop(Duration timeout);

  /** Whether it was started, and has not been stopped. */
  boolean isRunning();

  /** Its state now; does not use the database, so it never waits. */
  Health health();

  /** Stops it for ever, with the shutdown timeout of this service. May be called again. */
  @Override
  void close();

  /**
   * Combines services: they start in this order and stop in the reverse order, within one timeout.
   * The health has the worst status and all issues.
   */
  static BackgroundService combine(String name, BackgroundService... services) {
    return new CombinedService(name, services);
  }
}
