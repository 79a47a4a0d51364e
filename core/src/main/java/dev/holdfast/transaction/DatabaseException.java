package dev.holdfast.transaction;

import dev.holdfast.HoldfastException;
import dev.holdfast.internal.sql.PoolerHint;
import java.sql.SQLException;
import java.util.Locale;

/** A statement of Holdfast that the database refused, with what the refusal means. */
public final class DatabaseException extends HoldfastException {
  private static final long serialVersionUID = 1L;

  private final SqlError error;

  /** {@code doing} completes the sentence "… failed: ", such as {@code update of 'accounts'}. */
  public DatabaseException(String doing, SQLException cause) {
    this(SqlErrors.classify(cause), doing, cause);
  }

  private DatabaseException(SqlError error, String doing, SQLException cause) {
    super(
        "sql-" + error.name().toLowerCase(Locale.ROOT).replace('_', '-'),
        doing + " failed: " + PoolerHint.of(cause) + hint(error, cause) + cause.getMessage(),
        cause);
    this.error = error;
  }

  /** What the database's error means. */
  public SqlError error() {
    return error;
  }

  @Override
  public boolean retryable() {
    return error.retryable();
  }

  private static String hint(SqlError error, SQLException cause) {
    return switch (error) {
      case TRANSACTION_ABORTED ->
          "an earlier statement of this transaction failed, and that error was swallowed; roll back. ";
      case READ_ONLY -> "the transaction or the server is read-only. ";
      case MISSING_OBJECT ->
          String.valueOf(cause.getMessage()).toLowerCase(Locale.ROOT).contains("holdfast_")
              ? "Holdfast's own tables are not there; call migrate() of Migrations, or run what"
                  + " Migrations prints, and name the same schema in both places. "
              : "check the names of table and columns, and the schema. ";
      case LOCK_TIMEOUT ->
          "a row or table is held by another transaction; try again or wait longer. ";
      case OUT_OF_RANGE ->
          "a number does not fit its column; use a wider one, or upTo(…) where it is increased. ";
      case CONNECTION_LOST ->
          "there is no connection to the database, or it was closed; take a new one. ";
      default -> "";
    };
  }
}
