package dev.holdfast.race;

import dev.holdfast.race.internal.run.Run;
import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * A data source for code that has its own: while a race on it is explored, the connections of the
 * actors are controlled; otherwise they are those of the data source behind it. For tests: give it
 * to the application instead of the real one.
 *
 * <p>An actor is known by its thread. A thread that an actor has started, directly or through an
 * executor that makes a thread for the task, gets the connections of the actor that goes at the
 * moment. All other threads, such as a poller of the application, or those that an executor already
 * had before the race, are passed through to the data source behind: what they do is neither
 * controlled nor seen. A task that an actor hands to such a thread must use the data source that
 * the actor is given, which is controlled in any thread.
 *
 * <p>Thread-safe.
 */
public final class RaceDataSource implements DataSource {
  private final DataSource raw;
  private final AtomicReference<@Nullable Run> current = new AtomicReference<>();

  private RaceDataSource(DataSource raw) {
    this.raw = raw;
  }

  /** Around this one, which may be a pool. */
  public static RaceDataSource wrap(DataSource dataSource) {
    return dataSource instanceof RaceDataSource already
        ? already
        : new RaceDataSource(Require.notNull(dataSource, "the data source"));
  }

  DataSource raw() {
    return raw;
  }

  AtomicReference<@Nullable Run> current() {
    return current;
  }

  private DataSource now() {
    Run run = current.get();
    DataSource controlled = run == null ? null : run.dataSourceOfThisThread();
    return controlled == null ? raw : controlled;
  }

  @Override
  public Connection getConnection() throws SQLException {
    return now().getConnection();
  }

  @Override
  public Connection getConnection(String user, String password) throws SQLException {
    return now().getConnection(user, password);
  }

  @Override
  public @Nullable PrintWriter getLogWriter() throws SQLException {
    return raw.getLogWriter();
  }

  @Override
  public void setLogWriter(@Nullable PrintWriter out) throws SQLException {
    raw.setLogWriter(out);
  }

  @Override
  public void setLoginTimeout(int seconds) throws SQLException {
    raw.setLoginTimeout(seconds);
  }

  @Override
  public int getLoginTimeout() throws SQLException {
    return raw.getLoginTimeout();
  }

  @Override
  public Logger getParentLogger() {
    return Logger.getLogger("dev.holdfast.race");
  }

  @Override
  public <T> T unwrap(Class<T> type) throws SQLException {
    return type.isInstance(this) ? type.cast(this) : raw.unwrap(type);
  }

  @Override
  public boolean isWrapperFor(Class<?> type) throws SQLException {
    return type.isInstance(this) || raw.isWrapperFor(type);
  }
}
