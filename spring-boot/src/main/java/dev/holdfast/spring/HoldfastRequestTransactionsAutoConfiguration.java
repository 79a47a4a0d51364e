package dev.holdfast.spring;

import dev.holdfast.Holdfast;
import dev.holdfast.servlet.RequestTransactions;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.PlatformTransactionManager;

/**
 * The transactions of requests, where the application has a transaction manager: they have to be on
 * the data source of Holdfast. Which of several it is, is not guessed, and requests are not
 * silently claimed instead: that is a weaker guarantee, which somebody has to choose.
 */
@AutoConfiguration(
    after = HoldfastAutoConfiguration.class,
    afterName = "org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration")
@ConditionalOnClass({
  RequestTransactions.class,
  PlatformTransactionManager.class,
  DataSourceUtils.class
})
@ConditionalOnBean({Holdfast.class, PlatformTransactionManager.class})
public class HoldfastRequestTransactionsAutoConfiguration {

  /** Lazy, because whoever does not use it may have a transaction manager of something else. */
  @Bean
  @Lazy
  @ConditionalOnMissingBean
  RequestTransactions holdfastRequestTransactions(
      ObjectProvider<PlatformTransactionManager> managers, Holdfast holdfast) {
    PlatformTransactionManager manager = managers.getIfUnique();
    if (manager == null) {
      throw new IllegalStateException(
          "there are several transaction managers, and none is primary; say by a bean which of them"
              + " is that of requests: SpringTransactions.on(manager, dataSource), or the same with"
              + " .exclude(request -> true) to have all requests claimed");
    }
    return SpringTransactions.on(manager, holdfast.dataSource());
  }
}
