package dev.holdfast.race.internal.jdbc;

import java.lang.reflect.Method;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The calls with which code resets a connection or a statement before it closes it. Once the run
 * has ended they do nothing and do not fail: frameworks would log each failure as an error, and
 * nothing is left to reset.
 */
final class CleanUp {
  private static final Set<String> CALLS =
      Set.of(
          "rollback",
          "releaseSavepoint",
          "clearWarnings",
          "getWarnings",
          "setAutoCommit",
          "getAutoCommit",
          "setReadOnly",
          "isReadOnly",
          "setTransactionIsolation",
          "getTransactionIsolation",
          "setHoldability",
          "getHoldability",
          "setNetworkTimeout",
          "getNetworkTimeout",
          "setCatalog",
          "setSchema",
          "setClientInfo",
          "endRequest",
          "clearBatch",
          "clearParameters",
          "setMaxRows",
          "getMaxRows",
          "setLargeMaxRows",
          "getLargeMaxRows",
          "setQueryTimeout",
          "getQueryTimeout",
          "setFetchSize",
          "getFetchSize",
          "setPoolable");

  private CleanUp() {}

  static boolean is(Method method) {
    return CALLS.contains(method.getName());
  }

  /** What it answers when nothing is done any more. */
  static @Nullable Object answer(Method method) {
    Class<?> type = method.getReturnType();
    if (type == boolean.class) {
      return false;
    }
    if (type == long.class) {
      return 0L;
    }
    return type == int.class ? 0 : null;
  }
}
