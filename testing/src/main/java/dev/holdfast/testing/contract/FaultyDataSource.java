package dev.holdfast.testing.contract;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Gives connections on which one call fails, although the session behind them goes on. */
final class FaultyDataSource {
  private final DataSource real;
  private final String method;
  private final List<?> arguments;
  private final List<Connection> given = new CopyOnWriteArrayList<>();
  private @Nullable RuntimeException unchecked;

  FaultyDataSource(DataSource real, String method, Object... arguments) {
    this.real = real;
    this.method = method;
    this.arguments = List.of(arguments);
  }

  /** With an unchecked exception, as some pools and proxies throw it. */
  FaultyDataSource throwing(RuntimeException instead) {
    unchecked = instead;
    return this;
  }

  DataSource dataSource() {
    return proxy(
        DataSource.class,
        (self, called, with) -> {
          Object answer = invoke(() -> called.invoke(real, with));
          return answer instanceof Connection connection ? faulty(connection) : answer;
        });
  }

  /** The real connections behind those that were given. */
  List<Connection> given() {
    return given;
  }

  private Connection faulty(Connection connection) {
    given.add(connection);
    return proxy(
        Connection.class,
        (self, called, with) -> {
          if (called.getName().equals(method)
              && arguments.equals(with == null ? List.of() : Arrays.asList(with))) {
            throw unchecked == null ? new SQLException(method + " does not work today") : unchecked;
          }
          return invoke(() -> called.invoke(connection, with));
        });
  }

  private interface Call {
    @Nullable Object run() throws ReflectiveOperationException;
  }

  private static @Nullable Object invoke(Call call) throws Throwable {
    try {
      return call.run();
    } catch (InvocationTargetException e) {
      throw e.getCause() == null ? e : e.getCause();
    }
  }

  private static <T> T proxy(Class<T> type, InvocationHandler handler) {
    return type.cast(
        Proxy.newProxyInstance(
            FaultyDataSource.class.getClassLoader(), new Class<?>[] {type}, handler));
  }
}
