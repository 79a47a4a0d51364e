package dev.holdfast.testing;

import dev.holdfast.internal.sql.Dialect;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.time.Clock;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Stands between Holdfast and the database, and puts a clock in the place of the database's. */
final class ClockedDataSource implements InvocationHandler {
  private final DataSource real;
  private final Clock clock;
  private volatile @Nullable ClockWords words;

  private ClockedDataSource(DataSource real, Clock clock) {
    this.real = real;
    this.clock = clock;
  }

  static DataSource of(DataSource real, Clock clock) {
    return proxy(DataSource.class, new ClockedDataSource(real, clock));
  }

  @Override
  public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] arguments)
      throws Throwable {
    Object result = pass(real, method, arguments);
    return result instanceof Connection connection ? clocked(connection) : result;
  }

  private Connection clocked(Connection connection) {
    ClockWords known = words;
    ClockWords ofDatabase = known == null ? ClockWords.of(Dialect.of(connection).family()) : known;
    words = ofDatabase;
    return proxy(
        Connection.class,
        (proxy, method, arguments) -> {
          // a proxy is equal to itself, which the real connection does not know
          if (method.getName().equals("equals") && arguments != null) {
            return proxy == arguments[0];
          }
          if (method.getName().equals("prepareStatement")
              && arguments != null
              && arguments[0] instanceof String sql) {
            arguments[0] = ofDatabase.replace(sql, clock.instant());
          }
          return pass(connection, method, arguments);
        });
  }

  private static @Nullable Object pass(Object target, Method method, Object @Nullable [] arguments)
      throws Throwable {
    try {
      return method.invoke(target, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause() == null ? e : e.getCause();
    }
  }

  private static <T> T proxy(Class<T> type, InvocationHandler handler) {
    return type.cast(
        Proxy.newProxyInstance(
            ClockedDataSource.class.getClassLoader(), new Class<?>[] {type}, handler));
  }
}
