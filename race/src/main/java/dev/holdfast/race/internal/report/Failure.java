package dev.holdfast.race.internal.report;

import java.sql.SQLException;

/** An error, in a few words. */
final class Failure {
  private static final int DEEPEST_CAUSE = 20;

  private Failure() {}

  /** What went wrong, first of all for the database: {@code 40001 could not serialize …}. */
  static String brief(Throwable error) {
    Throwable cause = error;
    for (int depth = 0; cause != null && depth < DEEPEST_CAUSE; depth++) {
      if (cause instanceof SQLException sql) {
        String state = sql.getSQLState() == null ? "" : sql.getSQLState() + " ";
        return state + message(sql);
      }
      cause = cause.getCause();
    }
    return error.getClass().getSimpleName()
        + (error.getMessage() == null ? "" : ": " + message(error));
  }

  /** The first line: what follows are details and hints of the server. */
  private static String message(Throwable error) {
    String message = error.getMessage();
    if (message == null) {
      return error.getClass().getSimpleName();
    }
    String first = message.strip().split("\\R", 2)[0];
    return Words.shortened(first.replaceFirst("^ERROR: ", ""), 120);
  }
}
