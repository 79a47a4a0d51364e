package dev.holdfast.spring;

import dev.holdfast.internal.Require;
import dev.holdfast.sql.Transaction;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * The transaction of Spring that this thread is in, for guards, events and {@code once(tx, …)}.
 *
 * <p>It is Spring's to commit or roll back, and so is its connection to give back.
 */
public final class CurrentTransaction {
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
    return Transaction.on(DataSourceUtils.getConnection(dataSource));
  }
}
