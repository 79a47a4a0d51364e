package dev.holdfast.spring;

import dev.holdfast.BackgroundService;
import dev.holdfast.Holdfast;
import dev.holdfast.idempotency.Idempotency;
import dev.holdfast.workflow.Workflows;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;

/**
 * The {@link Idempotency} and the {@link Workflows} of the application's {@link Holdfast}, and the
 * deletion of expired records.
 */
@AutoConfiguration(after = HoldfastAutoConfiguration.class)
@ConditionalOnBean(Holdfast.class)
@EnableConfigurationProperties(HoldfastIdempotencyProperties.class)
public class HoldfastIdempotencyAutoConfiguration {

  /** With the options of the {@link Holdfast}: those of the settings if it is auto-configured. */
  @Bean
  @ConditionalOnMissingBean
  Idempotency holdfastIdempotency(Holdfast holdfast) {
    return holdfast.idempotency();
  }

  /** With the options of the {@link Holdfast}: those of the settings if it is auto-configured. */
  @Bean
  @ConditionalOnMissingBean
  Workflows holdfastWorkflows(Holdfast holdfast) {
    return holdfast.workflows();
  }

  /** All of them have the same records. */
  @Bean
  @ConditionalOnMissingBean(name = "holdfastIdempotencyCleaner")
  @Conditional(CleanUpEnabled.class)
  BackgroundService holdfastIdempotencyCleaner(
      ObjectProvider<Idempotency> idempotency,
      Holdfast holdfast,
      HoldfastIdempotencyProperties properties) {
    return idempotency.getIfUnique(holdfast::idempotency).cleaner(properties.cleanupInterval());
  }
}
