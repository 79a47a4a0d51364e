package dev.holdfast.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.TransactionDefinition;
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

  private static HikariDataSource poolOfOne() {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl("jdbc:h2:mem:" + UUID.randomUUID());
    config.setMaximumPoolSize(1);
    config.setConnectionTimeout(2000);
    return new HikariDataSource(config);
  }
}
