package dev.holdfast.lease;

import dev.holdfast.internal.Require;
import dev.holdfast.internal.sql.SqlBuilder;
import dev.holdfast.transaction.Transaction;
import java.util.OptionalLong;

/**
 * A column of a user's table that keeps the newest token seen with a write to its row; null counts
 * as none. It must be able to hold a {@code long}. Immutable and thread-safe.
 */
public final class FencedColumn {
  private final String table;
  private final String column;

  FencedColumn(String table, String column) {
    this.table = table;
    this.column = column;
  }

  /** What became of a check that did not refuse. */
  public enum Result {
    /** The row has this token now, and is locked until the transaction ends. */
    PASSED,
    /** There is no such row. */
    MISSING
  }

  /**
   * Passes the token, and writes it into the row, as a part of the caller's transaction.
   *
   * @throws StaleTokenException where the row has a newer one; roll back
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
    SqlBuilder look =
        new SqlBuilder(tx.dialect())
            .add("SELECT ")
            .name(column)
            .add(" FROM ")
            .name(table)
            .add(" WHERE ")
            .exactly(keyColumn, key)
            .add(tx.dialect().currentRead(tx.isolation()));
    return look.row(tx, () -> "looking at the fence of '" + table + "'")
        .map(row -> refused(tx, row.number(column), key, token))
        .orElse(Result.MISSING);
  }

  /** The driver may count only rows that changed: then the same token is not refused. */
  private Result refused(Transaction tx, long seen, Object key, long token) {
    if (seen <= token) {
      return Result.PASSED;
    }
    StaleTokenException stale =
        new StaleTokenException(table + " " + key, token, OptionalLong.of(seen));
    tx.setRollbackOnly(stale);
    throw stale;
  }
}
