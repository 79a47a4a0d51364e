package dev.holdfast.spring;

import dev.holdfast.BackgroundService;
import dev.holdfast.Holdfast;
import dev.holdfast.codec.CodecFactory;
import dev.holdfast.transaction.spi.TransactionContext;
import javax.sql.DataSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.env.Environment;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * A {@link Holdfast} on the application's data source, and what fires its schedules.
 *
 * <p>Holdfast is made after Flyway, Liquibase and Boot's own scripts have run. Beans of the
 * application take the place of these.
 */
@AutoConfiguration(
    afterName = "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration")
@ConditionalOnSingleCandidate(DataSource.class)
@EnableConfigurationProperties({
  HoldfastProperties.class,
  HoldfastIdempotencyProperties.class,
  HoldfastScheduleProperties.class
})
public class HoldfastAutoConfiguration {

  @Bean
  @ConditionalOnMissingBean
  @DependsOnDatabaseInitialization
  Holdfast holdfast(
      DataSource dataSource,
      HoldfastProperties properties,
      HoldfastIdempotencyProperties idempotency,
      ObjectProvider<TransactionContext> contexts,
      ObjectProvider<CodecFactory> codecs) {
    Holdfast.Builder builder =
        Holdfast.builder(dataSource).shards(properties.shards()).idempotency(idempotency.options());
    contexts.ifUnique(builder::transactionContext);
    codecs.ifUnique(builder::codec);
    String schema = properties.schema().name();
    if (schema != null) {
      builder.schema(schema);
    }
    Holdfast holdfast = builder.build();
    switch (properties.schema().mode()) {
      case MIGRATE -> holdfast.migrations().migrate();
      case VALIDATE -> holdfast.migrations().validate();
      case NONE -> {}
    }
    return holdfast;
  }

  /** Fires due schedules, whether or not this application has handlers. */
  @Bean
  @ConditionalOnMissingBean(name = "holdfastScheduleRunner")
  @ConditionalOnProperty(name = "holdfast.schedules.enabled", matchIfMissing = true)
  BackgroundService holdfastScheduleRunner(Holdfast holdfast) {
    return holdfast.schedules().runner();
  }

  /** Apart, because an application that has no transactions of Spring may do without their jars. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass({TransactionSynchronizationManager.class, DataSourceUtils.class})
  @EnableConfigurationProperties(HoldfastTransactionProperties.class)
  static class SpringTransactionsJoined {
    @Bean
    @ConditionalOnMissingBean(TransactionContext.class)
    SpringTransactionContext holdfastTransactionContext(HoldfastTransactionProperties properties) {
      return new SpringTransactionContext(properties.onMismatch());
    }

    /** All of them, also those that are not Boot's. */
    @Bean
    static BeanPostProcessor holdfastTransactionListeners(Environment environment) {
      SpringTransactionContext.OnMismatch onMismatch =
          Binder.get(environment)
              .bind("holdfast.transactions.on-mismatch", SpringTransactionContext.OnMismatch.class)
              .orElse(SpringTransactionContext.OnMismatch.REJECT);
      return new BeanPostProcessor() {
        @Override
        public Object postProcessAfterInitialization(Object bean, String name) {
          if (bean instanceof ConfigurableTransactionManager manager) {
            manager.addListener(new SpringTransactionListener(manager, onMismatch));
          }
          return bean;
        }
      };
    }

    @Bean
    @Lazy(false) // nobody asks for it
    ConflictCounting holdfastConflictCounting(ObjectProvider<Holdfast> all) {
      return new ConflictCounting(all.stream().toList());
    }
  }
}
