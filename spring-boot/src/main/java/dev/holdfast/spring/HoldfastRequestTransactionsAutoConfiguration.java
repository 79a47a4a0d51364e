package dev.holdfast.spring;

import dev.holdfast.servlet.RequestTransactions;
import javax.sql.DataSource;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.PlatformTransactionManager;

/**
 * The transactions of requests, where the application has one data source and one transaction
 * manager.
 */
@AutoConfiguration(
    after = HoldfastAutoConfiguration.class,
    afterName = "org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration")
@ConditionalOnClass({
  RequestTransactions.class,
  PlatformTransactionManager.class,
  DataSourceUtils.class
})
@ConditionalOnSingleCandidate(DataSource.class)
public class HoldfastRequestTransactionsAutoConfiguration {

  /** Lazy, because whoever does not use it may have a transaction manager of something else. */
  @Bean
  @Lazy
  @ConditionalOnMissingBean
  @ConditionalOnSingleCandidate(PlatformTransactionManager.class)
  RequestTransactions holdfastRequestTransactions(
      PlatformTransactionManager manager, DataSource dataSource) {
    return SpringTransactions.on(manager, dataSource);
  }
}
