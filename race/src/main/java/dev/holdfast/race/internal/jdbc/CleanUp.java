package dev.holdfast.race.internal.jdbc;

import java.lang.reflect.Method;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The calls with which code puts a connection or a statement in order before it gives it back. Once
 * the run is over they do nothing, and do not fail: frameworks log a failure there as an error,
 * once for each run, and nothing is left to be put in order.
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
