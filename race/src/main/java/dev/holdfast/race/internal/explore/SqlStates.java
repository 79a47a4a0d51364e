package dev.holdfast.race.internal.explore;

import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** What SQL states say that no order of steps can change. */
final class SqlStates {
  private SqlStates() {}

  /** Whether the SQL is wrong, or not permitted. */
  static boolean isSyntaxOrAccess(@Nullable Throwable error) {
    for (Throwable cause = error; cause != null; cause = cause.getCause()) {
      if (cause instanceof SQLException sql
          && sql.getSQLState() != null
          && sql.getSQLState().startsWith("42")) {
        return true;
      }
    }
    return false;
  }
}
