package dev.holdfast.sql;

import java.sql.SQLException;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Recognises PostgreSQL's errors about prepared statements that belong to another client: those of
 * a pooler that gives each transaction another connection and does not know prepared statements.
 */
final class PoolerHint {
  private static final String TEXT =
      "Is there a pooler in between, such as PgBouncer in transaction mode? Before its version 1.21,"
          + " and where its max_prepared_statements is 0, the JDBC URL needs prepareThreshold=0. ";

  /** By the names that the driver gives them, also where messages are translated. */
  private static final Pattern STATEMENT = Pattern.compile("prepared statement|[\"«„]S_\\d+");

  private PoolerHint() {}

  /** Whether a statement met another one under its name, or none. */
  static boolean fits(SQLException failure) {
    String state = String.valueOf(failure.getSQLState());
    return switch (state) {
      case "42P05", "26000", "08P01" ->
          STATEMENT.matcher(String.valueOf(failure.getMessage())).find();
      default -> false;
    };
  }

  /** What to look for; empty where it is another error. */
  static String of(@Nullable Throwable failure) {
    return failure instanceof SQLException sql && fits(sql) ? TEXT : "";
  }
}
