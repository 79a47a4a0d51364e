package dev.holdfast.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.servlet.RequestTransactions;
import jakarta.servlet.http.HttpServletRequest;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionTemplate;

class SpringTransactionsTest {
  private final HttpServletRequest request = new MockHttpServletRequest();
  private final HikariDataSource dataSource = pool();
  private final JdbcTransactionManager manager = new JdbcTransactionManager(dataSource);
  private final JdbcClient jdbc = JdbcClient.create(dataSource);

  @BeforeEach
  void createTable() {
    committed(() -> jdbc.sql("CREATE TABLE orders (id int)").update());
  }

  @AfterEach
  void close() {
    dataSource.close();
  }

  @Test
  void whatJoinsIsCommittedWithTheWork() {
    SpringTransactions.on(manager, dataSource).run(request, tx -> place());

    assertThat(orders()).isEqualTo(1);
  }

  @Test
  void whatTheWorkThrowsRollsBackAndPasses() {
    RuntimeException thrown = new IllegalStateException("it went wrong");
    RequestTransactions transactions = SpringTransactions.on(manager, dataSource);

    assertThatThrownBy(
            () ->
                transactions.run(
                    request,
                    tx -> {
                      place();
                      throw thrown;
                    }))
        .isSameAs(thrown);
    assertThat(orders()).isZero();
  }

  @Test
  void aTransactionAroundItIsNotJoined() {
    RequestTransactions transactions = SpringTransactions.on(manager, dataSource);
    new TransactionTemplate(manager)
        .executeWithoutResult(
            status -> {
              transactions.run(request, tx -> place());
              status.setRollbackOnly();
            });

    assertThat(orders()).isEqualTo(1);
  }

  /** Such as one of messages: it begins, and knows nothing of connections. */
  private static final class OtherManager extends AbstractPlatformTransactionManager {
    private static final long serialVersionUID = 1L;

    @Override
    protected Object doGetTransaction() {
      return "a transaction";
    }

    @Override
    protected void doBegin(Object transaction, TransactionDefinition definition) {}

    @Override
    protected void doCommit(DefaultTransactionStatus status) {}

    @Override
    protected void doRollback(DefaultTransactionStatus status) {}
  }

  /** The pool is not in autocommit mode: what is done on its connections would be lost. */
  @Test
  void aManagerThatCommitsSomethingElseIsRefused() {
    assertThatThrownBy(() -> SpringTransactions.on(new OtherManager(), dataSource))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("data source of the records");
  }

  private void place() {
    jdbc.sql("INSERT INTO orders VALUES (1)").update();
  }

  private long orders() {
    return jdbc.sql("SELECT count(*) FROM orders").query(Long.class).single();
  }

  private void committed(Runnable work) {
    new TransactionTemplate(manager).executeWithoutResult(status -> work.run());
  }

  private static HikariDataSource pool() {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl("jdbc:h2:mem:" + UUID.randomUUID());
    config.setAutoCommit(false);
    config.setMaximumPoolSize(2);
    return new HikariDataSource(config);
  }
}
