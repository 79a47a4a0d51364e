package dev.holdfast.transaction;

/**
 * What an error of a database means, the same on every database.
 *
 * @see SqlErrors
 */
public enum SqlError {
  UNIQUE_VIOLATION,
  FOREIGN_KEY_VIOLATION,
  CHECK_VIOLATION,
  NOT_NULL_VIOLATION,
  /** The transaction saw a state that others have changed since; it is rolled back. */
  SERIALIZATION_FAILURE,
  /** The database chose this transaction as the victim of a deadlock; it is rolled back. */
  DEADLOCK,
  /** A lock was not free in time, or not at once where {@code NOWAIT} was asked. */
  LOCK_TIMEOUT,
  /** A statement ran into its time limit, or was cancelled by someone. */
  STATEMENT_TIMEOUT,
  /** The connection is gone or could not be made. */
  CONNECTION_LOST,
  /** A statement after a failed one: the transaction can only be rolled back (PostgreSQL). */
  TRANSACTION_ABORTED,
  /** A write in a read-only transaction, or on a server that is a replica since a failover. */
  READ_ONLY,
  /** A table, column or schema that does not exist. */
  MISSING_OBJECT,
  /** A number that does not fit its column. */
  OUT_OF_RANGE,
  /**
   * A prepared statement that the server has dropped, or whose table has got other columns since
   * (PostgreSQL). The driver prepares it anew.
   */
  STALE_STATEMENT,
  /** Everything else. Never retried. */
  UNKNOWN;

  /**
   * Whether the same work may succeed in a fresh transaction. True only where the failed
   * transaction certainly left nothing behind, provided that the error did not come from its
   * commit.
   */
  public boolean retryable() {
    return switch (this) {
      case SERIALIZATION_FAILURE, DEADLOCK, LOCK_TIMEOUT, CONNECTION_LOST, STALE_STATEMENT -> true;
      default -> false;
    };
  }

  /** Whether a commit that failed with this error has certainly not happened. */
  boolean rulesOutCommit() {
    return switch (this) {
      case UNIQUE_VIOLATION,
          FOREIGN_KEY_VIOLATION,
          CHECK_VIOLATION,
          NOT_NULL_VIOLATION,
          SERIALIZATION_FAILURE,
          DEADLOCK,
          TRANSACTION_ABORTED ->
          true;
      default -> false;
    };
  }
}
