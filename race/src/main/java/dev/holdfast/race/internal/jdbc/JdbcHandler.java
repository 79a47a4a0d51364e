package dev.holdfast.race.internal.jdbc;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.SQLException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Stands between the code and a thing of JDBC. */
abstract class JdbcHandler implements InvocationHandler {
  private final Object real;

  JdbcHandler(Object real) {
    this.real = real;
  }

  /** What the code gets in place of the real thing. */
  static <T> T proxy(Class<T> type, JdbcHandler handler) {
    return type.cast(
        Proxy.newProxyInstance(JdbcHandler.class.getClassLoader(), new Class<?>[] {type}, handler));
  }

  /** A call that is neither one of {@link Object} nor one of {@link java.sql.Wrapper}. */
  abstract @Nullable Object call(Object proxy, Method method, Object[] arguments)
      throws SQLException;

  @Override
  public final @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] given)
      throws SQLException {
    Object[] arguments = given == null ? new Object[0] : given;
    return switch (method.getName()) {
      case "equals" -> proxy == arguments[0];
      case "hashCode" -> System.identityHashCode(proxy);
      case "toString" -> real.toString();
      case "isWrapperFor" -> isJdbc((Class<?>) arguments[0], proxy);
      case "unwrap" -> unwrap((Class<?>) arguments[0], proxy);
      default -> call(proxy, method, arguments);
    };
  }

  /** Passes a call to the real thing, and what it throws back. */
  final @Nullable Object pass(Method method, Object... arguments) throws SQLException {
    try {
      return method.invoke(real, arguments);
    } catch (InvocationTargetException e) {
      Throwable cause = e.getCause();
      if (cause instanceof SQLException failure) {
        throw failure;
      }
      if (cause instanceof RuntimeException failure) {
        throw failure;
      }
      if (cause instanceof Error failure) {
        throw failure;
      }
      throw new SQLException(cause);
    } catch (IllegalAccessException e) {
      throw new SQLException(e);
    }
  }

  /** Likewise, if the answer is never null. */
  final Object passed(Method method, Object... arguments) throws SQLException {
    return Objects.requireNonNull(pass(method, arguments), method.getName());
  }

  private static Object unwrap(Class<?> type, Object proxy) throws SQLException {
    if (isJdbc(type, proxy)) {
      return proxy;
    }
    throw new SQLException(
        "cannot unwrap to "
            + type.getName()
            + " under the race finder: it would not see the statements made through it");
  }

  private static boolean isJdbc(Class<?> type, Object proxy) {
    return type.isInterface() && type.isInstance(proxy);
  }
}
