package dev.holdfast.lease;

import dev.holdfast.internal.Require;
import dev.holdfast.internal.sql.SqlBuilder;
import dev.holdfast.transaction.Transaction;
import dev.holdfast.transaction.TransactionStateException;
import java.util.OptionalLong;

/**
 * Rejects writes with a token that is older than the newest one. This makes a lease safe even if
 * its holder was paused past the end of the lease.
 *
 * <pre>{@code
 * transactions.run(tx -> {
 *   fence.check("account:42", lease.token());
 *   // what is written here takes effect only if no later holder has passed the fence
 * });
 * }</pre>
 *
 * <p>The check is part of the caller's transaction: it stores the token when the transaction
 * commits, and until then other checks of the same resource wait. Call it first, so that it orders
 * the writers. It is for leases with one holder at a time; the token of a reader says nothing about
 * other readers. Immutable and thread-safe.
 */
public interface Fence {
  /**
   * As {@link #check(Transaction, String, long)}, in the current transaction: a fence outside of a
   * transaction protects nothing.
   *
   * @throws TransactionStateException if there is none
   */
  void check(String resource, long token);

  /**
   * Passes the token, and stores it as the newest one of the resource.
   *
   * @param resource what is written to; any name of up to 300 characters, often that of the lease
   * @throws StaleTokenException if there is a newer token; roll back
   * @throws TransactionStateException if the transaction has ended or is read-only
   */
  void check(Transaction tx, String resource, long token);

  /** A fence in a column of the user's own table, which keeps the newest token of each row. */
  static Column column(String table, String tokenColumn) {
    return new Column(
        Require.notNull(table, "table"), Require.notNull(tokenColumn, "the name of a column"));
  }

  /**
   * A column of a user's table with the newest token that was passed for its row; null counts as
   * none. The column must be able to hold a {@code long}. Immutable and thread-safe.
   */
  final class Column {
    private final String table;
    private final String column;

    private Column(String table, String column) {
      this.table = table;
      this.column = column;
    }

    /** What a check returned that rejected nothing. */
    public enum Result {
      /** The row has this token now, and is locked until the transaction ends. */
      PASSED,
      /** There is no such row. */
      NOT_FOUND
    }

    /**
     * Passes the token, and writes it into the row, as part of the caller's transaction.
     *
     * @throws StaleTokenException if the row has a newer token; roll back
     */
    public Result check(Transaction tx, String keyColumn, Object key, long token) {
      Require.notNull(key, "the key of the row");
      Require.that(token > 0, () -> "a token must be positive, was " + token);
      tx.requireWritable(() -> "the fence of '" + table + "'");
      SqlBuilder update =
          new SqlBuilder(tx.dialect())
              .add("UPDATE ")
              .name(table)
              .add(" SET ")
              .name(column)
              .add(" = ")
              .value(token)
              .add(" WHERE ")
              .exactly(keyColumn, key)
              .add(" AND (")
              .name(column)
              .add(" IS NULL OR ")
              .name(column)
              .add(" <= ")
              .value(token)
              .add(")");
      if (update.update(tx, () -> "passing the fence of '" + table + "'") > 0) {
        return Result.PASSED;
      }
      SqlBuilder newest =
          new SqlBuilder(tx.dialect())
              .add("SELECT ")
              .name(column)
              .add(" FROM ")
              .name(table)
              .add(" WHERE ")
              .exactly(keyColumn, key)
              .add(tx.dialect().currentRead(tx.isolation()));
      return newest
          .row(tx, () -> "looking at the fence of '" + table + "'")
          .map(row -> passedOrStale(tx, row.number(column), key, token))
          .orElse(Result.NOT_FOUND);
    }

    /** The driver may count only rows that changed: then an equal token is not stale. */
    private Result passedOrStale(Transaction tx, long newest, Object key, long token) {
      if (newest <= token) {
        return Result.PASSED;
      }
      StaleTokenException stale =
          new StaleTokenException(table + " " + key, token, OptionalLong.of(newest));
      tx.setRollbackOnly(stale);
      throw stale;
    }
  }
}
