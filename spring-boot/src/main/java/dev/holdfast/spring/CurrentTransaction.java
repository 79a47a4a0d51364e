package dev.holdfast.spring;

import dev.holdfast.Holdfast;
import dev.holdfast.internal.Require;
import dev.holdfast.transaction.ConflictListener;
import dev.holdfast.transaction.Transaction;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * The transaction of Spring that this thread is in, for guards, events and {@code once(tx, …)}.
 *
 * <p>It is Spring's to commit or roll back, and so is its connection to give back. There is one
 * {@link Transaction} for each transaction of Spring, however many beans ask for it: so row locks
 * keep their order across them. In an application with a {@link dev.holdfast.Holdfast} as a bean it
 * is that of {@code holdfast.transactions().current()}, and the conflicts of guards count in its
 * {@link dev.holdfast.Holdfast#conflictRates()}.
 */
public final class CurrentTransaction {
  /** The Holdfast of the application, by data source. */
  private static final Map<DataSource, Holdfast> KNOWN = new ConcurrentHashMap<>();

  private CurrentTransaction() {}

  /**
   * That of {@code @Transactional}, or of a {@code TransactionTemplate}, on this data source.
   *
   * @throws IllegalStateException where there is none; no connection is taken then
   */
  public static Transaction of(DataSource dataSource) {
    Require.notNull(dataSource, "dataSource");
    // asked before: outside of a transaction nobody would give back what DataSourceUtils takes
    if (!TransactionSynchronizationManager.isActualTransactionActive()
        || SpringTransactionListener.isCompleting()
        || !TransactionSynchronizationManager.hasResource(dataSource)) {
      throw new IllegalStateException(
          "a transaction of Spring must be open on this data source; is @Transactional missing, is"
              + " the method called from its own class, so that it is passed by, or is the"
              + " transaction manager one of another data source?");
    }
    Holdfast known = KNOWN.get(dataSource);
    if (known != null && known.transactions().isActive()) {
      return known.transactions().current();
    }
    Key key = new Key(dataSource);
    return TransactionSynchronizationManager.getResource(key) instanceof Transaction bound
        ? bound
        : bind(key, dataSource, known == null ? ConflictListener.NONE : known.conflictRates());
  }

  private static Transaction bind(Key key, DataSource dataSource, ConflictListener listener) {
    Transaction tx = Transaction.of(DataSourceUtils.getConnection(dataSource), listener);
    // not after the completion, where Spring calls nobody any more
    if (TransactionSynchronizationManager.isSynchronizationActive()) {
      TransactionSynchronizationManager.registerSynchronization(new Binding(key, tx));
      TransactionSynchronizationManager.bindResource(key, tx);
    }
    return tx;
  }

  /** From now on, transactions on its data source are those that this one joins. */
  static void know(Holdfast holdfast) {
    KNOWN.put(holdfast.dataSource(), holdfast);
  }

  static void forget(Holdfast holdfast) {
    KNOWN.remove(holdfast.dataSource(), holdfast);
  }

  /** What the transaction is bound to the thread by, beside Spring's connection. */
  private record Key(DataSource dataSource) {}

  /** For as long as Spring's transaction: not while that is suspended for another one. */
  private record Binding(Key key, Transaction tx) implements TransactionSynchronization {
    @Override
    public void suspend() {
      TransactionSynchronizationManager.unbindResourceIfPossible(key);
    }

    @Override
    public void resume() {
      TransactionSynchronizationManager.bindResource(key, tx);
    }

    @Override
    public void afterCompletion(int status) {
      TransactionSynchronizationManager.unbindResourceIfPossible(key);
    }
  }
}
