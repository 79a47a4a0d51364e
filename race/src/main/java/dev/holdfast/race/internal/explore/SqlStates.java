package dev.holdfast.race.internal.explore;

import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** What SQL states say beyond what all databases have in common. */
final class SqlStates {
  private SqlStates() {}

  /** Whether the SQL is wrong, or not permitted. */
  static boolean isSyntaxOrAccess(@Nullable Throwable error) {
    return hasState(error, "42");
  }

  /** Whether an exclusion constraint of PostgreSQL has refused it. */
  static boolean isExclusion(@Nullable Throwable error) {
    return hasState(error, "23P01");
  }

  private static boolean hasState(@Nullable Throwable error, String prefix) {
    for (Throwable cause = error; cause != null; cause = cause.getCause()) {
      if (cause instanceof SQLException sql
          && sql.getSQLState() != null
          && sql.getSQLState().startsWith(prefix)) {
        return true;
      }
    }
    return false;
  }
}
