package dev.holdfast.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.guard.LockOrderException;
import dev.holdfast.guard.RowLocks;
import dev.holdfast.transaction.Transaction;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

class CurrentTransactionTest {
  private final HikariDataSource dataSource = poolOfOne();
  private final TransactionTemplate template =
      new TransactionTemplate(new JdbcTransactionManager(dataSource));

  @AfterEach
  void close() {
    dataSource.close();
  }

  @Test
  void isOnTheConnectionOfSpring() {
    template.executeWithoutResult(
        status ->
            assertThat(CurrentTransaction.of(dataSource).connection())
                .isSameAs(DataSourceUtils.getConnection(dataSource)));
  }

  @Test
  void givesItsConnectionBackWithTheTransaction() {
    for (int i = 0; i < 3; i++) {
      template.executeWithoutResult(
          status -> assertThat(CurrentTransaction.of(dataSource).connection()).isNotNull());
    }
  }

  @Test
  void withoutATransactionNothingIsTakenFromThePool() throws SQLException {
    for (int i = 0; i < 3; i++) {
      assertThatThrownBy(() -> CurrentTransaction.of(dataSource))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("@Transactional");
    }
    try (Connection connection = dataSource.getConnection()) {
      assertThat(connection.isValid(0)).isTrue();
    }
  }

  /** There Spring keeps a connection for the method, in autocommit mode. */
  @Test
  void aMethodThatOnlySupportsTransactionsHasNone() {
    template.setPropagationBehavior(TransactionDefinition.PROPAGATION_SUPPORTS);
    template.executeWithoutResult(
        status -> {
          Connection unused = DataSourceUtils.getConnection(dataSource);
          assertThatThrownBy(() -> CurrentTransaction.of(dataSource))
              .isInstanceOf(IllegalStateException.class)
              .hasMessageContaining("@Transactional");
        });
  }

  @Test
  void aTransactionOfAnotherDataSourceIsNotTakenForIt() {
    try (HikariDataSource other = poolOfOne()) {
      template.executeWithoutResult(
          status ->
              assertThatThrownBy(() -> CurrentTransaction.of(other))
                  .isInstanceOf(IllegalStateException.class)
                  .hasMessageContaining("another data source"));
    }
  }

  @Test
  void isTheSameForAllWhoAskInATransaction() {
    Transaction first = template.execute(status -> CurrentTransaction.of(dataSource));
    template.executeWithoutResult(
        status -> {
          Transaction tx = CurrentTransaction.of(dataSource);
          assertThat(CurrentTransaction.of(dataSource)).isSameAs(tx).isNotSameAs(first);
          template.executeWithoutResult(
              joined -> assertThat(CurrentTransaction.of(dataSource)).isSameAs(tx));
        });
  }

  @Test
  void isAnotherInATransactionOfItsOwnInside() {
    try (HikariDataSource two = pool(2)) {
      TransactionTemplate outer = new TransactionTemplate(new JdbcTransactionManager(two));
      TransactionTemplate inner = new TransactionTemplate(new JdbcTransactionManager(two));
      inner.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
      outer.executeWithoutResult(
          status -> {
            Transaction tx = CurrentTransaction.of(two);
            inner.executeWithoutResult(
                own -> {
                  Transaction other = CurrentTransaction.of(two);
                  assertThat(other).isNotSameAs(tx).isSameAs(CurrentTransaction.of(two));
                  assertThat(other.connection()).isNotSameAs(tx.connection());
                });
            assertThat(CurrentTransaction.of(two)).isSameAs(tx);
          });
    }
  }

  @Test
  void nothingStaysOnTheThread() {
    template.executeWithoutResult(status -> CurrentTransaction.of(dataSource));
    assertThatThrownBy(
            () ->
                template.executeWithoutResult(
                    status -> {
                      CurrentTransaction.of(dataSource);
                      throw new IllegalStateException("rolled back");
                    }))
        .hasMessage("rolled back");

    assertThat(TransactionSynchronizationManager.getResourceMap()).isEmpty();
  }

  /** Each bean asks for the transaction itself, and none knows what the other has locked. */
  @Test
  void rowLocksKeepTheirOrderAcrossBeans() {
    JdbcTemplate jdbc = new JdbcTemplate(dataSource);
    jdbc.execute("create table accounts (id bigint primary key)");
    jdbc.execute("insert into accounts values (1), (2)");

    template.executeWithoutResult(
        status -> {
          RowLocks.lock(CurrentTransaction.of(dataSource), "accounts", List.of(2L));
          assertThatThrownBy(
                  () -> RowLocks.lock(CurrentTransaction.of(dataSource), "accounts", List.of(1L)))
              .isInstanceOf(LockOrderException.class);
          status.setRollbackOnly();
        });
    template.executeWithoutResult(
        status -> RowLocks.lock(CurrentTransaction.of(dataSource), "accounts", List.of(1L)));
  }

  private static HikariDataSource poolOfOne() {
    return pool(1);
  }

  private static HikariDataSource pool(int size) {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl("jdbc:h2:mem:" + UUID.randomUUID());
    config.setMaximumPoolSize(size);
    config.setConnectionTimeout(2000);
    return new HikariDataSource(config);
  }
}
