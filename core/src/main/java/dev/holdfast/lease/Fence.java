package dev.holdfast.lease;

import dev.holdfast.internal.Require;
import dev.holdfast.internal.lease.store.FenceStatements;
import dev.holdfast.internal.sql.Dialect;
import dev.holdfast.transaction.Transaction;
import dev.holdfast.transaction.Transactions;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Refuses writes with a token that is older than the newest seen: what makes a lease safe even
 * where its holder has slept past its end.
 *
 * <pre>{@code
 * transactions.run(tx -> {
 *   fence.check("account:42", lease.token());
 *   // what is written here takes effect only if no later holder has passed the fence
 * });
 * }</pre>
 *
 * <p>The check is a part of the caller's transaction: it remembers the token when that commits, and
 * until then others with the same resource wait. Call it first, since it then keeps them in order.
 * It is for leases with one holder at a time; the token of a reader says nothing about others.
 * Immutable and thread-safe.
 */
public final class Fence {
  private final FenceStatements sql;
  private final @Nullable Transactions transactions;

  private Fence(FenceStatements sql, @Nullable Transactions transactions) {
    this.sql = sql;
    this.transactions = transactions;
  }

  /**
   * The fence of a database.
   *
   * @param schema the name of the schema in which Holdfast's tables are; null for the current one
   */
  public static Fence in(Dialect dialect, @Nullable String schema) {
    return new Fence(
        FenceStatements.of(dialect, schema == null ? "" : dialect.quote(schema) + "."), null);
  }

  /** With the current transaction of these, for {@link #check(String, long)}. */
  public Fence joining(Transactions transactions) {
    return new Fence(sql, Require.notNull(transactions, "transactions"));
  }

  /**
   * As {@link #check(Transaction, String, long)}, in the current transaction: a fence outside of a
   * transaction guards nothing.
   *
   * @throws dev.holdfast.transaction.TransactionStateException if there is none
   */
  public void check(String resource, long token) {
    Transactions known =
        Require.notNull(transactions, "the transactions of the fence, see joining(…),");
    check(known.current(), resource, token);
  }

  /**
   * Passes the token, and remembers it as the newest seen of the resource.
   *
   * @param resource what is written to; any name of up to 300 characters, often that of the lease
   * @throws StaleTokenException where a newer one was seen; roll back
   * @throws TransactionStateException if the transaction has ended or is read-only
   */
  public void check(Transaction tx, String resource, long token) {
    // what cannot be stored in a name of a lease cannot be stored here
    String name = LeaseKey.exclusive(resource).name();
    Require.that(token > 0, () -> "a token must be positive, was " + token);
    tx.requireWritable(() -> "a fence");
    long newest = sql.pass(tx, name, token);
    if (newest != token) {
      StaleTokenException stale =
          new StaleTokenException(
              name, token, newest == 0 ? OptionalLong.empty() : OptionalLong.of(newest));
      tx.setRollbackOnly(stale);
      throw stale;
    }
  }

  /** Guards a column of a table of one's own, in which the newest token is kept by row. */
  public static FencedColumn column(String table, String column) {
    return new FencedColumn(
        Require.notNull(table, "table"), Require.notNull(column, "the name of a column"));
  }
}
