package dev.holdfast.spring;

import dev.holdfast.internal.Require;
import dev.holdfast.transaction.TransactionStateException;
import dev.holdfast.transaction.spi.TransactionContext;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * The transactions of Spring: of {@code @Transactional} and {@code TransactionTemplate}, with the
 * transaction manager of the data source (JDBC, JPA or Hibernate).
 *
 * <p>A transaction that has started to commit or to roll back is not joined, although Spring still
 * shows its resources: {@code afterCommit} and {@code afterCompletion} callbacks open new ones.
 * That needs a {@link SpringTransactionListener} on the transaction manager, which the
 * auto-configuration adds to all of them. Thread-safe.
 */
public final class SpringTransactionContext implements TransactionContext {
  private final OnMismatch onMismatch;

  /** What happens if a transaction is active, but not on the data source of Holdfast. */
  public enum OnMismatch {
    /** Writes fail, with {@link TransactionStateException}. */
    REJECT,
    /** Calls open a transaction of their own, which commits whatever becomes of the active one. */
    IGNORE
  }

  /** Rejecting writes while a transaction of another data source is active. */
  public SpringTransactionContext() {
    this(OnMismatch.REJECT);
  }

  public SpringTransactionContext(OnMismatch onMismatch) {
    this.onMismatch = Require.notNull(onMismatch, "onMismatch");
  }

  @Override
  public Optional<Current> acquire(DataSource dataSource) {
    // without synchronization nobody would say how the transaction ends
    if (!TransactionSynchronizationManager.isActualTransactionActive()
        || !TransactionSynchronizationManager.isSynchronizationActive()) {
      return Optional.empty();
    }
    DataSource target = target(dataSource);
    ConnectionHolder holder =
        TransactionSynchronizationManager.getResource(target) instanceof ConnectionHolder found
            ? found
            : null;
    return switch (phase(holder)) {
      case COMPLETING -> Optional.empty();
      case OTHER -> mismatch();
      case ACTIVE -> join(target);
    };
  }

  private enum Phase {
    /** The transaction uses this connection. */
    ACTIVE,
    /** It does not use the data source. */
    OTHER,
    /** It is about to end, or has ended. */
    COMPLETING
  }

  /**
   * Asked before a connection is taken: one that {@code DataSourceUtils} opens in a transaction of
   * another data source counts as transactional too, and nothing commits it.
   */
  private static Phase phase(@Nullable ConnectionHolder holder) {
    if (SpringTransactionListener.isCompleting()) {
      return Phase.COMPLETING;
    }
    if (holder == null) {
      return Phase.OTHER;
    }
    // a holder that was not there when the transaction began is not its own
    return SpringTransactionListener.isOfTransaction(holder)
            || !SpringTransactionListener.knowsTransaction()
        ? Phase.ACTIVE
        : Phase.OTHER;
  }

  private Optional<Current> join(DataSource target) {
    Connection connection = DataSourceUtils.getConnection(target);
    try {
      if (!connection.getAutoCommit()) {
        return Optional.of(
            new Current(
                connection, TransactionSynchronizationManager.isCurrentTransactionReadOnly()));
      }
    } catch (SQLException | RuntimeException e) {
      DataSourceUtils.releaseConnection(connection, target);
      throw new IllegalStateException("the connection of Spring's transaction is not usable", e);
    }
    DataSourceUtils.releaseConnection(connection, target);
    return mismatch();
  }

  private Optional<Current> mismatch() {
    if (onMismatch == OnMismatch.IGNORE) {
      return Optional.empty();
    }
    throw new TransactionStateException(
        TransactionStateException.Reason.MISMATCH,
        "a transaction of Spring is active, but it is not on the data source of Holdfast, so this"
            + " would be committed whatever becomes of it; use the transaction manager of that data"
            + " source, or transactions().requiresNew() to write independently, or set"
            + " holdfast.transactions.on-mismatch=ignore");
  }

  @Override
  public void release(Connection connection, DataSource dataSource) {
    DataSourceUtils.releaseConnection(connection, target(dataSource));
  }

  @Override
  public void register(Callback callback) {
    TransactionSynchronizationManager.registerSynchronization(new Joined(callback));
  }

  /** What the connections of Spring's transactions are bound to. */
  static DataSource target(DataSource dataSource) {
    DataSource target = dataSource;
    while (target instanceof TransactionAwareDataSourceProxy proxy) {
      DataSource inner = ((DelegatingDataSource) proxy).getTargetDataSource();
      if (inner == null) {
        return target;
      }
      target = inner;
    }
    return target;
  }

  /** Last of all, so that it sees what other synchronizations have done before the commit. */
  record Joined(Callback callback) implements TransactionSynchronization {
    @Override
    public void beforeCommit(boolean readOnly) {
      callback.beforeCommit();
    }

    @Override
    public void afterCompletion(int status) {
      callback.afterCompletion(status == STATUS_COMMITTED);
    }
  }
}
