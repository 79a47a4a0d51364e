package dev.holdfast.spring;

import dev.holdfast.internal.Require;
import dev.holdfast.servlet.RequestTransactions;
import jakarta.servlet.http.HttpServletRequest;
import javax.sql.DataSource;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * The transactions of Spring, for requests: whatever joins them, such as {@code @Transactional},
 * {@code JdbcClient} and JPA, is committed with the record of the request, or rolled back with it.
 *
 * <p>Every request has a new transaction with the defaults of its transaction manager. What runs in
 * one of its own inside, such as {@code REQUIRES_NEW}, is no part of it. Thread-safe.
 */
public final class SpringTransactions implements RequestTransactions {
  private final TransactionTemplate template;
  private final DataSource dataSource;

  private SpringTransactions(TransactionTemplate template, DataSource dataSource) {
    this.template = template;
    this.dataSource = dataSource;
  }

  /**
   * Those of {@code manager}. Begins one, to find out whether it is on {@code dataSource}, which
   * must be that of the records.
   *
   * @throws IllegalStateException where it is not, such as one of JTA or of messages
   */
  public static SpringTransactions on(PlatformTransactionManager manager, DataSource dataSource) {
    TransactionTemplate template = new TransactionTemplate(Require.notNull(manager, "manager"));
    template.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
    SpringTransactions made =
        new SpringTransactions(template, Require.notNull(dataSource, "dataSource"));
    template.executeWithoutResult(status -> made.requireConnection());
    return made;
  }

  @Override
  public void run(HttpServletRequest request, RequestCallback work) {
    template.executeWithoutResult(status -> join(work));
  }

  private void join(RequestCallback work) {
    requireConnection();
    work.execute(CurrentTransaction.of(dataSource));
  }

  /**
   * Asked before one is taken: a connection that DataSourceUtils opens in a transaction of somebody
   * else counts as transactional too, and nobody commits it.
   */
  private void requireConnection() {
    if (!TransactionSynchronizationManager.hasResource(dataSource)) {
      throw new IllegalStateException(
          "the transaction manager must have its transactions on the data source of the records,"
              + " but it began one without a connection of it ("
              + template.getTransactionManager()
              + ")");
    }
  }
}
