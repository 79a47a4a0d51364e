package dev.holdfast.servlet;

import dev.holdfast.internal.Require;
import dev.holdfast.transaction.Transaction;
import dev.holdfast.transaction.Transactions;
import jakarta.servlet.http.HttpServletRequest;
import java.util.function.Predicate;

/**
 * Where requests have a transaction, so that their record is committed with what they change. Must
 * be thread-safe.
 *
 * <p>With Spring, where {@code template} is a {@code TransactionTemplate}; whatever joins its
 * transactions, such as {@code @Transactional} and {@code JdbcTemplate}, is a part of it:
 *
 * <pre>{@code
 * RequestTransactions spring = (request, work) -> template.executeWithoutResult(status -> {
 *   if (!TransactionSynchronizationManager.hasResource(dataSource)) {
 *     throw new IllegalStateException("not the data source of the transaction manager");
 *   }
 *   Connection connection = DataSourceUtils.getConnection(dataSource);
 *   try {
 *     work.execute(Transaction.of(connection));
 *   } finally {
 *     DataSourceUtils.releaseConnection(connection, dataSource);
 *   }
 * });
 * }</pre>
 */
@FunctionalInterface
public interface RequestTransactions {
  /** What is done in a transaction: the whole request. */
  @FunctionalInterface
  interface RequestCallback {
    /** Runs it, once only. What it throws is unchecked, and means that it must be rolled back. */
    void execute(Transaction tx);
  }

  /**
   * Runs {@code work} once in a new transaction, on this thread: commits it where the work returns,
   * and where it throws, rolls it back and throws the same. The database must be that of the
   * records.
   */
  void run(HttpServletRequest request, RequestCallback work);

  /** Whether this request has a transaction; where it has none, its claim is held. */
  default boolean isTransactional(HttpServletRequest request) {
    return true;
  }

  /**
   * These, but for requests that {@code claimed} holds for: they have none, and their claim is held
   * instead. Such as those that take connections of their own, by a flow or {@code REQUIRES_NEW},
   * or that are async:
   *
   * <pre>{@code
   * transactions.exclude(request -> request.getServletPath().startsWith("/payments"))
   * }</pre>
   *
   * <p>Ask for the path that the container has decoded: that of {@code getRequestURI()} may be
   * spelt in other ways. Requests that have none here have none there, and {@code claimed}, which
   * must be thread-safe, is not asked about them.
   */
  default RequestTransactions exclude(Predicate<? super HttpServletRequest> claimed) {
    Require.notNull(claimed, "claimed");
    RequestTransactions these = this;
    return new RequestTransactions() {
      @Override
      public void run(HttpServletRequest request, RequestCallback work) {
        these.run(request, work);
      }

      @Override
      public boolean isTransactional(HttpServletRequest request) {
        return these.isTransactional(request) && !claimed.test(request);
      }
    };
  }

  /** The filter opens them; applications find theirs by {@link IdempotentRequest#transaction}. */
  static RequestTransactions on(Transactions transactions) {
    Require.notNull(transactions, "transactions");
    Transactions own = transactions.requiresNew();
    return (request, work) -> own.run(work::execute);
  }
}
