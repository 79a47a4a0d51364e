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
 * A data source for code that holds its own one. In tests, give it to the application instead of
 * the real data source. During an exploration it controls the connections of the actors. Otherwise
 * it delegates to the real data source.
 *
 * <p>Actors are identified by thread. A thread that an actor started, directly or through an
 * executor that creates a thread for the task, gets the connections of the running actor. All other
 * threads are passed through and are neither controlled nor observed. Examples are pollers of the
 * application and threads that an executor created before the race. A task that runs in such a
 * thread must use the data source of the actor, which is controlled in any thread.
 *
 * <p><b>Threads:</b> thread-safe.
 */
public final class RaceDataSource implements DataSource {
  private final DataSource raw;
  private final AtomicReference<@Nullable Run> current = new AtomicReference<>();

  private RaceDataSource(DataSource raw) {
    this.raw = raw;
  }

  /** Wraps a data source, which may be a pool. */
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

  private DataSource currentDataSource() {
    Run run = current.get();
    DataSource controlled = run == null ? null : run.dataSourceOfThisThread();
    return controlled == null ? raw : controlled;
  }

  @Override
  public Connection getConnection() throws SQLException {
    return currentDataSource().getConnection();
  }

  @Override
  public Connection getConnection(String user, String password) throws SQLException {
    return currentDataSource().getConnection(user, password);
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
