package dev.holdfast.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.transaction.TransactionStateException;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

class SpringTransactionContextTest {
  private final SpringTransactionContext context = new SpringTransactionContext();

  /** It is in no transaction that commits, although it is not in autocommit mode. */
  @Test
  void aConnectionThatSpringOpenedBesideItsTransactionIsNotJoined() {
    try (HikariDataSource mine = pool();
        HikariDataSource other = pool()) {
      transaction(other)
          .executeWithoutResult(
              status -> {
                assertThat(new JdbcTemplate(mine).queryForObject("select 1", Integer.class))
                    .isOne();
                assertThatThrownBy(() -> context.acquire(mine))
                    .isInstanceOf(TransactionStateException.class);
              });
    }
  }

  @Test
  void aProxyIsUnwrapped() {
    try (HikariDataSource mine = pool()) {
      TransactionAwareDataSourceProxy proxy = new TransactionAwareDataSourceProxy(mine);
      transaction(mine)
          .executeWithoutResult(
              status -> {
                assertThat(context.acquire(proxy)).isPresent();
                assertThat(context.acquire(mine)).isEqualTo(context.acquire(proxy));
              });
    }
  }

  private static TransactionTemplate transaction(HikariDataSource on) {
    JdbcTransactionManager manager = new JdbcTransactionManager(on);
    manager.addListener(
        new SpringTransactionListener(manager, SpringTransactionContext.OnMismatch.REJECT));
    return new TransactionTemplate(manager);
  }

  private static HikariDataSource pool() {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl("jdbc:h2:mem:" + UUID.randomUUID());
    config.setMaximumPoolSize(2);
    config.setAutoCommit(false);
    return new HikariDataSource(config);
  }
}
