package dev.holdfast.spring;

import java.util.UUID;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;

/** Web applications with a data source, and what Boot and Holdfast make of it. */
abstract class FilteredApplications {
  static final AutoConfigurations ALL =
      AutoConfigurations.of(
          DataSourceTransactionManagerAutoConfiguration.class,
          TransactionAutoConfiguration.class,
          HoldfastAutoConfiguration.class,
          HoldfastIdempotencyAutoConfiguration.class,
          HoldfastRequestTransactionsAutoConfiguration.class,
          HoldfastMissingFilterAutoConfiguration.class,
          HoldfastIdempotencyFilterAutoConfiguration.class);

  static final String ENABLED = "holdfast.idempotency.filter.enabled=true";

  final DataSource dataSource = h2();

  final WebApplicationContextRunner application =
      new WebApplicationContextRunner()
          .withConfiguration(ALL)
          .withBean(DataSource.class, () -> dataSource)
          .withPropertyValues("holdfast.schema.mode=migrate");

  final WebApplicationContextRunner filtered = application.withPropertyValues(ENABLED);

  final PlatformTransactionManager manager() {
    return new JdbcTransactionManager(dataSource);
  }

  static DataSource h2() {
    JdbcDataSource source = new JdbcDataSource();
    source.setURL("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
    return source;
  }
}
