package dev.holdfast.testing;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;

/**
 * A data source that shows each statement to a {@link Watch} before it is sent or prepared, so that
 * a test can count statements, stop at one, or make it fail. As thread-safe as what it wraps.
 */
public final class InterceptingDataSource {

  /** Sees statements; whatever it throws is thrown to whoever runs the statement. */
  @FunctionalInterface
  public interface Watch {

    /** Called on the thread that runs the statement, before the database sees it. */
    void before(Connection connection, String sql) throws SQLException;
  }

  private InterceptingDataSource() {}

  /** Wraps {@code dataSource}; whoever gives out the watch decides when it stops. */
  public static DataSource of(DataSource dataSource, Watch watch) {
    return wrap(
        DataSource.class,
        (proxy, method, arguments) -> {
          Object result = call(dataSource, method, arguments);
          return result instanceof Connection connection ? watched(connection, watch) : result;
        });
  }

  private static Connection watched(Connection connection, Watch watch) {
    return wrap(
        Connection.class,
        (proxy, method, arguments) -> {
          if (method.getName().startsWith("prepare")) {
            see(watch, connection, arguments);
          }
          Object result = call(connection, method, arguments);
          return method.getName().equals("createStatement")
              ? watched(connection, (Statement) result, watch)
              : result;
        });
  }

  private static Statement watched(Connection connection, Statement statement, Watch watch) {
    return wrap(
        Statement.class,
        (proxy, method, arguments) -> {
          if (method.getName().startsWith("execute")) {
            see(watch, connection, arguments);
          }
          return call(statement, method, arguments);
        });
  }

  private static void see(Watch watch, Connection connection, Object[] arguments)
      throws SQLException {
    if (arguments != null && arguments.length > 0 && arguments[0] instanceof String sql) {
      watch.before(connection, sql);
    }
  }

  private static Object call(Object target, Method method, Object[] arguments) throws Throwable {
    try {
      return method.invoke(target, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  private static <T> T wrap(Class<T> type, InvocationHandler handler) {
    return type.cast(
        Proxy.newProxyInstance(
            InterceptingDataSource.class.getClassLoader(), new Class<?>[] {type}, handler));
  }
}
