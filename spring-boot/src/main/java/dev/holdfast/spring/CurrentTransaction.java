package dev.holdfast.spring;

import dev.holdfast.internal.Require;
import dev.holdfast.sql.ConflictListener;
import dev.holdfast.sql.Transaction;
import java.util.Collections;
import java.util.Map;
import java.util.WeakHashMap;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * The transaction of Spring that this thread is in, for guards, events and {@code once(tx, …)}.
 *
 * <p>It is Spring's to commit or roll back, and so is its connection to give back. There is one
 * {@link Transaction} for each transaction of Spring, however many beans ask for it: so row locks
 * keep their order across them, and in an application with a {@link dev.holdfast.Holdfast} as a
 * bean the conflicts of guards count in its {@link dev.holdfast.Holdfast#conflictRates()}.
 */
public final class CurrentTransaction {
  /** Who hears of the conflicts in transactions on a data source. */
  private static final Map<DataSource, ConflictListener> LISTENERS =
      Collections.synchronizedMap(new WeakHashMap<>());

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
        || !TransactionSynchronizationManager.hasResource(dataSource)) {
      throw new IllegalStateException(
          "a transaction of Spring must be open on this data source; is @Transactional missing, is"
              + " the method called from its own class, so that it is passed by, or is the"
              + " transaction manager one of another data source?");
    }
    Key key = new Key(dataSource);
    return TransactionSynchronizationManager.getResource(key) instanceof Transaction bound
        ? bound
        : bind(key, dataSource);
  }

  private static Transaction bind(Key key, DataSource dataSource) {
    Transaction tx =
        Transaction.of(
            DataSourceUtils.getConnection(dataSource),
            LISTENERS.getOrDefault(dataSource, ConflictListener.NONE));
    // not after the completion, where Spring calls nobody any more
    if (TransactionSynchronizationManager.isSynchronizationActive()) {
      TransactionSynchronizationManager.registerSynchronization(new Binding(key, tx));
      TransactionSynchronizationManager.bindResource(key, tx);
    }
    return tx;
  }

  /** From now on this one hears of the conflicts in transactions on the data source. */
  static void listen(DataSource dataSource, ConflictListener listener) {
    LISTENERS.put(dataSource, listener);
  }

  static void forget(DataSource dataSource, ConflictListener listener) {
    LISTENERS.remove(dataSource, listener);
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
