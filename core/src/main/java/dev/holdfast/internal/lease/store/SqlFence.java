package dev.holdfast.internal.lease.store;

import dev.holdfast.internal.Require;
import dev.holdfast.internal.sql.Dialect;
import dev.holdfast.internal.sql.SqlBuilder;
import dev.holdfast.internal.sql.TableStatements;
import dev.holdfast.lease.Fence;
import dev.holdfast.lease.LeaseKey;
import dev.holdfast.lease.StaleTokenException;
import dev.holdfast.transaction.SqlError;
import dev.holdfast.transaction.Transaction;
import dev.holdfast.transaction.Transactions;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** A fence in the table of Holdfast; how a token passes differs by database. Thread-safe. */
public abstract class SqlFence implements Fence {
  private static final String INSERT =
      "INSERT INTO {fence} (shard, resource, token, seen_at) VALUES (0, ?, ?, {now})";

  private static final long UNKNOWN = 0;

  final TableStatements tables;

  private final @Nullable Transactions transactions;

  private SqlFence(TableStatements tables, @Nullable Transactions transactions) {
    this.tables = tables;
    this.transactions = transactions;
  }

  /**
   * The fence of a database.
   *
   * @param schema the schema of Holdfast's tables; null for the current one
   * @param transactions whose current transaction {@link #check(String, long)} uses; null for none
   */
  public static Fence create(
      Dialect dialect, @Nullable String schema, @Nullable Transactions transactions) {
    String prefix = schema == null ? "" : dialect.quote(schema) + ".";
    TableStatements tables = TableStatements.of(dialect, prefix);
    return dialect.choose(
        () -> new PostgreSql(tables, transactions),
        () -> new MySql(tables, transactions, dialect),
        () -> new H2(tables, transactions));
  }

  @Override
  public void check(String resource, long token) {
    check(
        Require.notNull(transactions, "the transactions of the fence").current(), resource, token);
  }

  @Override
  public void check(Transaction tx, String resource, long token) {
    // a name that a lease cannot have cannot be stored here
    String name = LeaseKey.exclusive(resource).name();
    Require.that(token > 0, () -> "a token must be positive, was " + token);
    tx.requireWritable(() -> "a fence");
    long newest;
    try {
      newest = pass(tx.connection(), tables.name(name), token);
    } catch (SQLException e) {
      throw SqlBuilder.failed(tx, "passing the fence of '" + name + "'", e);
    }
    if (newest != token) {
      StaleTokenException stale =
          new StaleTokenException(
              name, token, newest == UNKNOWN ? OptionalLong.empty() : OptionalLong.of(newest));
      tx.setRollbackOnly(stale);
      throw stale;
    }
  }

  /**
   * Returns the newest token. It is this one if there is no newer one; then its row is locked. It
   * is zero if there is a newer one, and reading it would take another statement.
   */
  abstract long pass(Connection connection, Object resource, long token) throws SQLException;

  private static final class PostgreSql extends SqlFence {
    private final String pass;

    PostgreSql(TableStatements tables, @Nullable Transactions transactions) {
      super(tables, transactions);
      this.pass =
          tables.text(
              INSERT.replace("{fence}", "{fence} AS f")
                  + " ON CONFLICT (shard, resource) DO UPDATE SET token = excluded.token,"
                  + " seen_at = excluded.seen_at WHERE f.token <= excluded.token RETURNING token");
    }

    @Override
    long pass(Connection connection, Object resource, long token) throws SQLException {
      return tables.first(connection, pass, row -> row.getLong(1), resource, token).orElse(UNKNOWN);
    }
  }

  /** Ignores the row count, because it depends on the settings of the driver. */
  private static final class MySql extends SqlFence {
    private final boolean returns;
    private final String raise;
    private final String newest;

    MySql(TableStatements tables, @Nullable Transactions transactions, Dialect dialect) {
      super(tables, transactions);
      this.returns = dialect.insertReturnsRow();
      String upsert =
          INSERT
              + " ON DUPLICATE KEY UPDATE seen_at = IF(token <= VALUES(token), VALUES(seen_at),"
              + " seen_at), token = GREATEST(token, VALUES(token))";
      this.raise = tables.text(returns ? dialect.returning(upsert, "token") : upsert);
      this.newest =
          tables.text("SELECT token FROM {fence} WHERE shard = 0 AND resource = ? FOR UPDATE");
    }

    @Override
    long pass(Connection connection, Object resource, long token) throws SQLException {
      if (returns) {
        return tables.last(connection, raise, row -> row.getLong(1), resource, token).orElseThrow();
      }
      tables.update(connection, raise, resource, token);
      return tables.first(connection, newest, row -> row.getLong(1), resource).orElseThrow();
    }
  }

  private static final class H2 extends SqlFence {
    private final String raise;
    private final String insert;
    private final String newest;

    H2(TableStatements tables, @Nullable Transactions transactions) {
      super(tables, transactions);
      this.raise =
          tables.text(
              "UPDATE {fence} SET token = ?, seen_at = {now} WHERE shard = 0 AND resource = ? AND"
                  + " token <= ?");
      this.insert = tables.text(INSERT);
      this.newest =
          tables.text("SELECT token FROM {fence} WHERE shard = 0 AND resource = ? FOR UPDATE");
    }

    @Override
    long pass(Connection connection, Object resource, long token) throws SQLException {
      if (raised(connection, resource, token)) {
        return token;
      }
      Optional<Long> seen = tables.first(connection, newest, row -> row.getLong(1), resource);
      if (seen.isPresent() && seen.get() > token) {
        return seen.get();
      }
      if (seen.isPresent()) {
        // another transaction inserted it in between; it is locked now
        return raised(connection, resource, token) ? token : UNKNOWN;
      }
      try {
        return tables.update(connection, insert, resource, token) == 1 ? token : UNKNOWN;
      } catch (SQLException e) {
        // the transaction continues: only the statement is undone
        if (SqlError.of(e) == SqlError.UNIQUE_VIOLATION) {
          return raised(connection, resource, token) ? token : UNKNOWN;
        }
        throw e;
      }
    }

    private boolean raised(Connection connection, Object resource, long token) throws SQLException {
      return tables.update(connection, raise, token, resource, token) == 1;
    }
  }
}
