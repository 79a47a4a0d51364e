package dev.holdfast.internal.sql;

import java.sql.SQLException;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Recognises PostgreSQL's errors that come from how the connection is made: those about prepared
 * statements of another client, from a pooler that gives each transaction another connection and
 * does not know prepared statements; and that of a driver that sends the statements of one text one
 * by one, so that a setting is not there any more when it is put back.
 */
public final class PoolerHint {
  private static final String TEXT =
      "Is there a pooler in between, such as PgBouncer in transaction mode? Before its version"
          + " 1.21, and where its max_prepared_statements is 0, the JDBC URL needs"
          + " prepareThreshold=0. ";

  private static final String SIMPLE_TEXT =
      "Does the JDBC URL have preferQueryMode=simple? It is not supported; remove it. ";

  /** What a setting of a statement that was committed by itself has left: nothing. */
  private static final Pattern LOST_SETTING = Pattern.compile("lock_timeout.*\"\"");

  /** By the names that the driver gives them, also where messages are translated. */
  private static final Pattern STATEMENT = Pattern.compile("prepared statement|[\"«„]S_\\d+");

  private PoolerHint() {}

  /** Whether a statement met another one under its name, or none. */
  public static boolean fits(SQLException failure) {
    String state = String.valueOf(failure.getSQLState());
    return switch (state) {
      case "42P05", "26000", "08P01" ->
          STATEMENT.matcher(String.valueOf(failure.getMessage())).find();
      default -> false;
    };
  }

  /** What to look for; empty where it is another error. */
  public static String of(@Nullable Throwable failure) {
    if (failure instanceof SQLException sql) {
      return fits(sql) ? TEXT : isSimple(sql) ? SIMPLE_TEXT : "";
    }
    return "";
  }

  private static boolean isSimple(SQLException failure) {
    return "22023".equals(failure.getSQLState())
        && LOST_SETTING.matcher(String.valueOf(failure.getMessage())).find();
  }
}
