package dev.holdfast.internal.lease.store;

import dev.holdfast.internal.sql.Dialect;
import dev.holdfast.internal.sql.SqlBuilder;
import dev.holdfast.transaction.SqlError;
import dev.holdfast.transaction.Transaction;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;

/** The statements of a fence, by database. */
public abstract class FenceStatements {
  private static final String INSERT =
      "INSERT INTO {fence} (shard, resource, token, seen_at) VALUES (0, ?, ?, {now})";

  private static final long UNKNOWN = 0;

  final LeaseSql sql;

  private FenceStatements(LeaseSql sql) {
    this.sql = sql;
  }

  /** For the tables in this schema, which is quoted and ends with a dot, or is empty. */
  public static FenceStatements of(Dialect dialect, String prefix) {
    LeaseSql sql = LeaseSql.of(dialect, prefix, 1);
    return switch (dialect.family()) {
      case "postgresql" -> new PostgreSql(sql);
      case "mysql" -> new MySql(sql, dialect);
      default -> new H2(sql);
    };
  }

  /**
   * Returns the newest token. It is this one if there is no newer one; then its row is locked. It
   * is zero if there is a newer one, and reading it would take another statement.
   */
  public final long pass(Transaction tx, String resource, long token) {
    try {
      return pass(tx.connection(), sql.name(resource), token);
    } catch (SQLException e) {
      throw SqlBuilder.failed(tx, "passing the fence of '" + resource + "'", e);
    }
  }

  abstract long pass(Connection connection, Object resource, long token) throws SQLException;

  private static final class PostgreSql extends FenceStatements {
    private final String pass;

    PostgreSql(LeaseSql sql) {
      super(sql);
      this.pass =
          sql.text(
              INSERT.replace("{fence}", "{fence} AS f")
                  + " ON CONFLICT (shard, resource) DO UPDATE SET token = excluded.token,"
                  + " seen_at = excluded.seen_at WHERE f.token <= excluded.token RETURNING token");
    }

    @Override
    long pass(Connection connection, Object resource, long token) throws SQLException {
      return sql.first(connection, pass, row -> row.getLong(1), resource, token).orElse(UNKNOWN);
    }
  }

  /** Ignores the row count, because it depends on the settings of the driver. */
  private static final class MySql extends FenceStatements {
    private final boolean returns;
    private final String raise;
    private final String newest;

    MySql(LeaseSql sql, Dialect dialect) {
      super(sql);
      this.returns = dialect.insertReturnsRow();
      String upsert =
          INSERT
              + " ON DUPLICATE KEY UPDATE seen_at = IF(token <= VALUES(token), VALUES(seen_at),"
              + " seen_at), token = GREATEST(token, VALUES(token))";
      this.raise = sql.text(returns ? dialect.returning(upsert, "token") : upsert);
      this.newest =
          sql.text("SELECT token FROM {fence} WHERE shard = 0 AND resource = ? FOR UPDATE");
    }

    @Override
    long pass(Connection connection, Object resource, long token) throws SQLException {
      if (returns) {
        return sql.last(connection, raise, row -> row.getLong(1), resource, token).orElseThrow();
      }
      sql.update(connection, raise, resource, token);
      return sql.first(connection, newest, row -> row.getLong(1), resource).orElseThrow();
    }
  }

  private static final class H2 extends FenceStatements {
    private final String raise;
    private final String insert;
    private final String newest;

    H2(LeaseSql sql) {
      super(sql);
      this.raise =
          sql.text(
              "UPDATE {fence} SET token = ?, seen_at = {now} WHERE shard = 0 AND resource = ? AND"
                  + " token <= ?");
      this.insert = sql.text(INSERT);
      this.newest =
          sql.text("SELECT token FROM {fence} WHERE shard = 0 AND resource = ? FOR UPDATE");
    }

    @Override
    long pass(Connection connection, Object resource, long token) throws SQLException {
      if (raised(connection, resource, token)) {
        return token;
      }
      Optional<Long> seen = sql.first(connection, newest, row -> row.getLong(1), resource);
      if (seen.isPresent() && seen.get() > token) {
        return seen.get();
      }
      if (seen.isPresent()) {
        // another transaction inserted it in between; it is locked now
        return raised(connection, resource, token) ? token : UNKNOWN;
      }
      try {
        return sql.update(connection, insert, resource, token) == 1 ? token : UNKNOWN;
      } catch (SQLException e) {
        // the transaction continues: only the statement is undone
        if (SqlError.of(e) == SqlError.UNIQUE_VIOLATION) {
          return raised(connection, resource, token) ? token : UNKNOWN;
        }
        throw e;
      }
    }

    private boolean raised(Connection connection, Object resource, long token) throws SQLException {
      return sql.update(connection, raise, token, resource, token) == 1;
    }
  }
}
