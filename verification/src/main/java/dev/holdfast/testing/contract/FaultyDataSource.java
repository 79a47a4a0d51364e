package dev.holdfast.testing.contract;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
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
  private volatile Predicate<String> struck = sql -> true;
  private volatile Fault beforeCommit = Fault.NONE;
  private volatile Fault afterCommit = Fault.NONE;
  private volatile Fault afterEffect = Fault.NONE;
  private volatile Predicate<String> effective = sql -> false;
  private volatile @Nullable RuntimeException unchecked;
  private volatile Predicate<List<?>> failing = call -> false;
  private final List<Connection> given = new CopyOnWriteArrayList<>();

  FaultyDataSource(DataSource real) {
    this.real = real;
  }

  static SQLException connectionLost() {
    return new SQLException("the cable was pulled", "08006");
  }

  /** At each statement that is prepared. */
  FaultyDataSource onPrepare(Fault fault) {
    return onPrepare(sql -> true, fault);
  }

  /** At each statement that is prepared with such a text. */
  FaultyDataSource onPrepare(Predicate<String> text, Fault fault) {
    onPrepare = Fault.NONE;
    struck = text;
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

  /**
   * When a prepared statement with such a text has taken effect and nobody knows: after it in
   * auto-commit mode, otherwise after the commit of its transaction.
   */
  FaultyDataSource afterEffect(Predicate<String> text, Fault fault) {
    afterEffect = Fault.NONE;
    effective = text;
    afterEffect = fault;
    return this;
  }

  /** At each call of this method with these arguments, which never reaches the database. */
  FaultyDataSource failing(String method, Object... arguments) {
    List<Object> refused = call(method, arguments);
    failing = refused::equals;
    return this;
  }

  /** With an unchecked exception, as some pools and proxies throw it. */
  FaultyDataSource throwing(RuntimeException instead) {
    unchecked = instead;
    return this;
  }

  /** The real connections behind those that were given. */
  List<Connection> given() {
    return given;
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
    given.add(connection);
    AtomicBoolean sent = new AtomicBoolean();
    AtomicBoolean effects = new AtomicBoolean();
    return proxy(
        Connection.class,
        (proxy, method, arguments) -> {
          if (failing.test(call(method.getName(), arguments))) {
            throw unchecked == null
                ? new SQLException(method.getName() + " does not work today")
                : unchecked;
          }
          if (method.getName().equals("prepareStatement")
              && arguments != null
              && struck.test(String.valueOf(arguments[0]))) {
            onPrepare.strike(connection);
          }
          if (sendsCommit(method, arguments)) {
            beforeCommit.strike(connection);
            sent.set(true);
          } else if (method.getName().equals("commit") && !sent.getAndSet(false)) {
            beforeCommit.strike(connection);
          }
          Object answer = call(connection, method, arguments);
          if (method.getName().equals("commit")) {
            afterCommit.strike(connection);
            if (effects.getAndSet(false)) {
              afterEffect.strike(connection);
            }
          }
          return answer instanceof PreparedStatement statement
                  && arguments != null
                  && effective.test(String.valueOf(arguments[0]))
              ? watched(statement, connection, effects)
              : answer;
        });
  }

  private PreparedStatement watched(
      PreparedStatement statement, Connection connection, AtomicBoolean effects) {
    return proxy(
        PreparedStatement.class,
        (proxy, method, arguments) -> {
          Object answer = call(statement, method, arguments);
          if (method.getName().startsWith("execute")) {
            if (connection.getAutoCommit()) {
              afterEffect.strike(connection);
            } else {
              effects.set(true);
            }
          }
          return answer;
        });
  }

  /**
   * On PostgreSQL a transaction is committed by a statement, and then by a call that sends nothing.
   */
  private static boolean sendsCommit(Method method, @Nullable Object @Nullable [] arguments) {
    return method.getName().equals("prepareStatement")
        && arguments != null
        && String.valueOf(arguments[0]).endsWith("COMMIT");
  }

  private static List<Object> call(String method, @Nullable Object @Nullable [] arguments) {
    List<Object> call = new ArrayList<>(List.of(method));
    if (arguments != null) {
      for (@Nullable Object argument : arguments) {
        call.add(String.valueOf(argument));
      }
    }
    return call;
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
