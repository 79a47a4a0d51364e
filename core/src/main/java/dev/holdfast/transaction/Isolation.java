package dev.holdfast.transaction;

import java.sql.Connection;

/**
 * An isolation level of a transaction.
 *
 * <p>That of a connection is the one JDBC tells: on MariaDB and MySQL that of its session, even
 * where a {@code SET TRANSACTION} has chosen another for one transaction only.
 */
public enum Isolation {
  /**
   * Seeing what others may still roll back, except on PostgreSQL, where it is READ COMMITTED by
   * another name. Found on connections, but never to be asked for.
   */
  READ_UNCOMMITTED(Connection.TRANSACTION_READ_UNCOMMITTED),
  READ_COMMITTED(Connection.TRANSACTION_READ_COMMITTED),
  REPEATABLE_READ(Connection.TRANSACTION_REPEATABLE_READ),
  SERIALIZABLE(Connection.TRANSACTION_SERIALIZABLE);

  private final int jdbcLevel;

  Isolation(int jdbcLevel) {
    this.jdbcLevel = jdbcLevel;
  }

  public int jdbcLevel() {
    return jdbcLevel;
  }

  /** Whether the transaction keeps seeing what it saw first, whatever others commit. */
  public boolean keepsSnapshot() {
    return this == REPEATABLE_READ || this == SERIALIZABLE;
  }

  public String sql() {
    return name().replace('_', ' ');
  }

  /** What H2 answers for its level SNAPSHOT, which JDBC does not know. */
  private static final int H2_SNAPSHOT = 6;

  /** The level of a connection. */
  static Isolation ofJdbcLevel(int level) {
    return switch (level) {
      case Connection.TRANSACTION_READ_UNCOMMITTED -> READ_UNCOMMITTED;
      case Connection.TRANSACTION_REPEATABLE_READ, H2_SNAPSHOT -> REPEATABLE_READ;
      case Connection.TRANSACTION_SERIALIZABLE -> SERIALIZABLE;
      default -> READ_COMMITTED;
    };
  }
}
