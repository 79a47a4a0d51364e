package dev.holdfast.sql;

import java.sql.Connection;

/** An isolation level that a transaction can ask for. */
public enum Isolation {
  READ_COMMITTED(Connection.TRANSACTION_READ_COMMITTED),
  REPEATABLE_READ(Connection.TRANSACTION_REPEATABLE_READ),
  SERIALIZABLE(Connection.TRANSACTION_SERIALIZABLE);

  private final int jdbcLevel;

  Isolation(int jdbcLevel) {
    this.jdbcLevel = jdbcLevel;
  }

  int jdbcLevel() {
    return jdbcLevel;
  }

  String sql() {
    return name().replace('_', ' ');
  }

  /** What H2 answers for its level SNAPSHOT, which JDBC does not know. */
  private static final int H2_SNAPSHOT = 6;

  /** The level of a connection; READ UNCOMMITTED counts as READ COMMITTED. */
  static Isolation ofJdbcLevel(int level) {
    return switch (level) {
      case Connection.TRANSACTION_REPEATABLE_READ, H2_SNAPSHOT -> REPEATABLE_READ;
      case Connection.TRANSACTION_SERIALIZABLE -> SERIALIZABLE;
      default -> READ_COMMITTED;
    };
  }
}
