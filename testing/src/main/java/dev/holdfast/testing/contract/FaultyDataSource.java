package dev.holdfast.testing.contract;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Objects;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * A data source whose connections can be made to fail, or to wait, at a chosen point. Thread-safe,
 * if what it is told to do is.
 */
final class FaultyDataSource {
  /** What happens at a chosen point. */
  @FunctionalInterface
  interface Fault {
    Fault NONE = connection -> {};

    void strike(Connection connection) throws Exception;
  }

  private final DataSource real;
  private volatile Fault onPrepare = Fault.NONE;
  private volatile Fault beforeCommit = Fault.NONE;
  private volatile Fault afterCommit = Fault.NONE;

  FaultyDataSource(DataSource real) {
    this.real = real;
  }

  static SQLException connectionLost() {
    return new SQLException("the cable was pulled", "08006");
  }

  /** At each statement that is prepared. */
  FaultyDataSource onPrepare(Fault fault) {
    onPrepare = fault;
    return this;
  }

  /** At each commit, before the database hears of it. */
  FaultyDataSource beforeCommit(Fault fault) {
    beforeCommit = fault;
    return this;
  }

  /** At each commit, when it has happened and nobody knows. */
  FaultyDataSource afterCommit(Fault fault) {
    afterCommit = fault;
    return this;
  }

  DataSource dataSource() {
    return proxy(
        DataSource.class,
        (proxy, method, arguments) -> {
          Object answer = call(real, method, arguments);
          return answer instanceof Connection connection ? faulty(connection) : answer;
        });
  }

  private Connection faulty(Connection connection) {
    return proxy(
        Connection.class,
        (proxy, method, arguments) -> {
          switch (method.getName()) {
            case "prepareStatement" -> onPrepare.strike(connection);
            case "commit" -> beforeCommit.strike(connection);
            default -> {}
          }
          Object answer = call(connection, method, arguments);
          if (method.getName().equals("commit")) {
            afterCommit.strike(connection);
          }
          return answer;
        });
  }

  @SuppressWarnings("NullAway") // reflection passes null for no arguments
  private static @Nullable Object call(
      Object target, Method method, @Nullable Object @Nullable [] arguments) throws Throwable {
    try {
      return method.invoke(target, arguments);
    } catch (InvocationTargetException e) {
      throw Objects.requireNonNull(e.getCause());
    }
  }

  private static <T> T proxy(Class<T> type, InvocationHandler handler) {
    return type.cast(
        Proxy.newProxyInstance(
            FaultyDataSource.class.getClassLoader(), new Class<?>[] {type}, handler));
  }
}
