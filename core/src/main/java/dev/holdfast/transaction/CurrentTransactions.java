package dev.holdfast.transaction;

import dev.holdfast.internal.sql.DialectDetector;
import dev.holdfast.transaction.spi.TransactionContext;
import java.sql.Connection;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Finds the transaction that the calling thread is in on one data source:
 *
 * <ol>
 *   <li>one that Holdfast has opened and whose work runs on this thread, else
 *   <li>what the framework reports, else none.
 * </ol>
 *
 * <p>Holdfast's own comes first because it is always the inner one. A transaction that was given
 * with its connection is current too, unless the framework has begun another one since.
 * Thread-safe.
 */
final class CurrentTransactions {
  private final DataSource dataSource;
  private final TransactionContext context;
  private final ConflictListener listener;

  /** One object for each transaction of the framework, by physical connection, until it ends. */
  private final Map<Connection, Transaction> joined = new ConcurrentHashMap<>();

  CurrentTransactions(
      DataSource dataSource, TransactionContext context, ConflictListener listener) {
    this.dataSource = dataSource;
    this.context = context;
    this.listener = listener;
  }

  DataSource dataSource() {
    return dataSource;
  }

  /**
   * The current transaction, for one call.
   *
   * @param framework the physical connection of the framework's transaction, if there is one
   * @param lent the connection that must be released after the call
   */
  record Found(Transaction tx, @Nullable Connection framework, @Nullable Connection lent) {}

  /**
   * Null if there is none. What is found must be released.
   *
   * @throws TransactionStateException if {@code write} and a transaction is active that does not
   *     use this data source
   */
  @Nullable Found find(boolean write) {
    OpenTransactions.Entry inner = OpenTransactions.innermost(dataSource);
    if (inner != null && inner.own()) {
      return new Found(inner.tx(), null, null);
    }
    // one that was given inside another framework's transaction stays current
    boolean report = write && (inner == null || inner.framework() != null);
    TransactionContext.Current current = acquire(report);
    Connection physical = current == null ? null : DialectDetector.physical(current.connection());
    if (inner != null && physical == inner.framework()) {
      release(current);
      return new Found(inner.tx(), physical, null);
    }
    if (current == null || physical == null) {
      return null;
    }
    try {
      return new Found(transaction(current, physical), physical, current.connection());
    } catch (Throwable failure) {
      release(current);
      throw failure;
    }
  }

  void release(Found found) {
    if (found.lent() != null) {
      context.release(found.lent(), dataSource);
    }
  }

  /** The physical connection of the framework's transaction, if it is in one. */
  @Nullable Connection framework() {
    TransactionContext.Current current = acquire(false);
    if (current == null) {
      return null;
    }
    release(current);
    return DialectDetector.physical(current.connection());
  }

  private TransactionContext.@Nullable Current acquire(boolean write) {
    try {
      Optional<TransactionContext.Current> current = context.acquire(dataSource);
      return current.orElse(null);
    } catch (TransactionStateException mismatch) {
      if (write) {
        throw mismatch;
      }
      return null;
    }
  }

  private void release(TransactionContext.@Nullable Current current) {
    if (current != null) {
      context.release(current.connection(), dataSource);
    }
  }

  private Transaction transaction(TransactionContext.Current current, Connection physical) {
    Transaction known = joined.get(physical);
    if (known != null) {
      return known;
    }
    Transaction tx = Transaction.ofFramework(current, listener);
    context.register(
        new TransactionContext.Callback() {
          @Override
          public void beforeCommit() {
            tx.requireCommittable();
          }

          @Override
          public void afterCompletion(boolean committed) {
            joined.remove(physical, tx);
            tx.ended();
          }
        });
    tx.shared();
    joined.put(physical, tx);
    return tx;
  }
}
