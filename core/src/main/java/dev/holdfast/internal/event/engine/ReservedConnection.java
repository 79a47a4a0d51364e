package dev.holdfast.internal.event.engine;

import dev.holdfast.event.Worker;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One connection that is kept, so that handlers that have emptied the pool do not prevent
 * heartbeats. For one thread at a time.
 */
final class ReservedConnection {
  private static final Logger LOG = LoggerFactory.getLogger(Worker.class);

  private final DataSource source;
  private final DataSource kept;
  private volatile @Nullable Connection connection;

  ReservedConnection(DataSource source) {
    this.source = source;
    this.kept =
        (DataSource)
            Proxy.newProxyInstance(
                ReservedConnection.class.getClassLoader(),
                new Class<?>[] {DataSource.class},
                (proxy, method, arguments) ->
                    method.getName().equals("getConnection") && arguments == null
                        ? lent()
                        : call(method, source, arguments));
  }

  /** Returns the same connection each time; to close it does nothing. */
  DataSource dataSource() {
    return kept;
  }

  private Connection lent() throws SQLException {
    Connection mine = connection;
    if (mine == null) {
      mine = source.getConnection();
      connection = mine;
    }
    Connection real = mine;
    return (Connection)
        Proxy.newProxyInstance(
            ReservedConnection.class.getClassLoader(),
            new Class<?>[] {Connection.class},
            (proxy, method, arguments) ->
                method.getName().equals("close") ? null : call(method, real, arguments));
  }

  private static @Nullable Object call(
      java.lang.reflect.Method method, Object real, Object @Nullable [] arguments)
      throws Throwable {
    try {
      return method.invoke(real, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause() == null ? e : e.getCause();
    }
  }

  /** Ends it though it may be in use, which then fails. For any thread. */
  void abort() {
    Connection mine = connection;
    if (mine != null) {
      try {
        mine.abort(Runnable::run);
      } catch (SQLException e) {
        LOG.debug("could not abort a connection", e);
      }
    }
  }

  /** Returns it to the pool; the next use takes another one, since this may be broken. */
  void release() {
    Connection mine = connection;
    connection = null;
    if (mine != null) {
      try {
        mine.close();
      } catch (SQLException e) {
        LOG.debug("could not close a connection", e);
      }
    }
  }
}
