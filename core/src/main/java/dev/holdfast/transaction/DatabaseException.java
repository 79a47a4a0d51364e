package dev.holdfast.transaction;

import dev.holdfast.HoldfastException;
import dev.holdfast.internal.sql.PoolerHint;
import java.sql.SQLException;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The database rejected a statement, or is not supported. {@link #error()} says what the error
 * means; the code is {@code database-} and its name, such as {@code database-deadlock}.
 */
public class DatabaseException extends HoldfastException {
  private static final long serialVersionUID = 1L;

  private final SqlError error;

  /**
   * @param action completes the sentence "… failed: ", such as {@code update of 'accounts'}
   */
  public DatabaseException(String action, SQLException cause) {
    this(SqlError.of(cause), action, cause);
  }

  private DatabaseException(SqlError error, String action, SQLException cause) {
    this(
        "database-" + error.name().toLowerCase(Locale.ROOT).replace('_', '-'),
        error,
        action + " failed: " + PoolerHint.of(cause) + hint(error, cause) + cause.getMessage(),
        cause);
  }

  DatabaseException(String code, SqlError error, String message, @Nullable Throwable cause) {
    super(code, message, cause);
    this.error = error;
  }

  /** A database, or a version of one, that Holdfast does not support. */
  public static DatabaseException unsupported(String found) {
    return new DatabaseException(
        "database-unsupported",
        SqlError.UNKNOWN,
        "Holdfast supports PostgreSQL 14+, MariaDB 10.6+, MySQL 8.0+ and H2 2.2+; this is " + found,
        null);
  }

  /** What the error of the database means. */
  public SqlError error() {
    return error;
  }

  @Override
  public boolean isRetryable() {
    return error.isRetryable();
  }

  private static String hint(SqlError error, SQLException cause) {
    return switch (error) {
      case TRANSACTION_ABORTED ->
          "an earlier statement of this transaction failed, and its error was swallowed; roll back."
              + " ";
      case READ_ONLY -> "the transaction or the server is read-only. ";
      case OBJECT_NOT_FOUND ->
          String.valueOf(cause.getMessage()).toLowerCase(Locale.ROOT).contains("holdfast_")
              ? "Holdfast's own tables do not exist in this schema; call"
                  + " holdfast.migrations().migrate(), or run what Migrations.script(…) prints, and"
                  + " use the same schema in both places. "
              : "check the names of table and columns, and the schema. ";
      case LOCK_TIMEOUT ->
          "another transaction holds a row or table; retry, or raise the lock timeout. ";
      case OUT_OF_RANGE ->
          "a number does not fit its column; use a wider column, or upTo(…) if it is increased. ";
      case CONNECTION_LOST ->
          "there is no connection to the database, or it was closed; take a new one. ";
      default -> "";
    };
  }
}
