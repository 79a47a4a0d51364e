package dev.holdfast.spring;

import dev.holdfast.internal.Require;
import dev.holdfast.transaction.TransactionStateException;
import dev.holdfast.transaction.Transactions;
import java.lang.reflect.Method;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.function.Predicate;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.TransactionManager;
import org.springframework.transaction.support.ResourceTransactionManager;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.ReflectionUtils;

/**
 * Follows the transactions of one transaction manager, for {@link SpringTransactionContext}: which
 * connection a transaction has, and since when it is completing. Rejects transactions of Spring
 * inside those of Holdfast on the same data source, which would commit independently. Thread-safe.
 */
public final class SpringTransactionListener implements TransactionExecutionListener {
  /** Whether the transaction of a connection is completing, for those that begin on this thread. */
  private static final ThreadLocal<Map<ConnectionHolder, Boolean>> COMPLETING =
      ThreadLocal.withInitial(WeakHashMap::new);

  private final TransactionManager manager;
  private final SpringTransactionContext.OnMismatch onMismatch;

  /** Of {@code manager}, to which it has to be added. */
  public SpringTransactionListener(
      TransactionManager manager, SpringTransactionContext.OnMismatch onMismatch) {
    this.manager = Require.notNull(manager, "manager");
    this.onMismatch = Require.notNull(onMismatch, "onMismatch");
  }

  /** Whether the transaction of this thread has started to commit or to roll back. */
  static boolean isCompleting() {
    return anyHolder(holder -> Boolean.TRUE.equals(COMPLETING.get().get(holder)));
  }

  /** Whether a transaction that is not completing began with this connection. */
  static boolean isOfTransaction(ConnectionHolder holder) {
    return Boolean.FALSE.equals(COMPLETING.get().get(holder));
  }

  /** Whether it is known which connection the transaction of this thread began with. */
  static boolean knowsTransaction() {
    return anyHolder(SpringTransactionListener::isOfTransaction);
  }

  private static boolean anyHolder(Predicate<ConnectionHolder> wanted) {
    for (Object resource : TransactionSynchronizationManager.getResourceMap().values()) {
      if (resource instanceof ConnectionHolder holder && wanted.test(holder)) {
        return true;
      }
    }
    return false;
  }

  private static void mark(boolean completing) {
    for (Object resource : TransactionSynchronizationManager.getResourceMap().values()) {
      if (resource instanceof ConnectionHolder holder) {
        COMPLETING.get().put(holder, completing);
      }
    }
  }

  @Override
  public void beforeBegin(TransactionExecution execution) {
    DataSource dataSource = dataSource(manager);
    if (onMismatch == SpringTransactionContext.OnMismatch.REJECT
        && !execution.isReadOnly()
        && dataSource != null
        && Transactions.isOpenOnThisThread(dataSource)) {
      throw new TransactionStateException(
          TransactionStateException.Reason.MISMATCH,
          "a transaction of Spring must not begin inside one of Holdfast on the same data source:"
              + " it would commit whatever becomes of the outer one; write through the transaction"
              + " that Holdfast hands over, or let Spring open the outer one (a handler that is not"
              + " transactional, with @Transactional inside)");
    }
  }

  @Override
  public void afterBegin(TransactionExecution execution, @Nullable Throwable failure) {
    if (failure == null && execution.isNewTransaction()) {
      mark(false);
    }
  }

  @Override
  public void beforeCommit(TransactionExecution execution) {
    if (!execution.isNewTransaction()) {
      return;
    }
    if (TransactionSynchronizationManager.isSynchronizationActive()) {
      // again: one that was registered by another's beforeCommit was not asked
      for (TransactionSynchronization each :
          TransactionSynchronizationManager.getSynchronizations()) {
        if (each instanceof SpringTransactionContext.Joined joined) {
          joined.callback().beforeCommit();
        }
      }
    }
    mark(true);
  }

  @Override
  public void beforeRollback(TransactionExecution execution) {
    if (execution.isNewTransaction()) {
      mark(true);
    }
  }

  private static @Nullable DataSource dataSource(TransactionManager manager) {
    if (manager instanceof ResourceTransactionManager known
        && known.getResourceFactory() instanceof DataSource dataSource) {
      return dataSource;
    }
    // JPA and Hibernate: not named, so that their jars are not needed
    Method getter = ReflectionUtils.findMethod(manager.getClass(), "getDataSource");
    return getter != null && ReflectionUtils.invokeMethod(getter, manager) instanceof DataSource of
        ? of
        : null;
  }
}
