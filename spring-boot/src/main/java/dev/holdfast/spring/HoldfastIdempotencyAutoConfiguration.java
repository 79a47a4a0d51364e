package dev.holdfast.spring;

import dev.holdfast.BackgroundService;
import dev.holdfast.Holdfast;
import dev.holdfast.idempotency.Idempotency;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;

/**
 * The {@link Idempotency} of the application's {@link Holdfast}, and the clean-up of its records.
 */
@AutoConfiguration(after = HoldfastAutoConfiguration.class)
@ConditionalOnBean(Holdfast.class)
@EnableConfigurationProperties(HoldfastIdempotencyProperties.class)
public class HoldfastIdempotencyAutoConfiguration {

  /** The one of an auto-configured Holdfast has these settings already; of another they are set. */
  @Bean
  @ConditionalOnMissingBean
  Idempotency holdfastIdempotency(Holdfast holdfast, HoldfastIdempotencyProperties properties) {
    return properties.applyTo(holdfast.idempotency());
  }

  /** Of several with settings of their own the records are the same. */
  @Bean
  @ConditionalOnMissingBean(name = "holdfastIdempotencyCleaner")
  @Conditional(CleanUpEnabled.class)
  BackgroundService holdfastIdempotencyCleaner(
      ObjectProvider<Idempotency> idempotency,
      Holdfast holdfast,
      HoldfastIdempotencyProperties properties) {
    return idempotency.getIfUnique(holdfast::idempotency).cleaner(properties.cleanUpEvery());
  }
}
