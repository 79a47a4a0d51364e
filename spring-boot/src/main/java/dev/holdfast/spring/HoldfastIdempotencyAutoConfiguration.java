package dev.holdfast.spring;

import dev.holdfast.Holdfast;
import dev.holdfast.idempotency.Idempotency;
import java.time.Duration;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.util.unit.DataSize;

/**
 * The {@link Idempotency} of the application's {@link Holdfast}, and the clean-up of its records.
 */
@AutoConfiguration(after = HoldfastAutoConfiguration.class)
@ConditionalOnBean(Holdfast.class)
@EnableConfigurationProperties(HoldfastIdempotencyProperties.class)
public class HoldfastIdempotencyAutoConfiguration {

  @Bean
  @ConditionalOnMissingBean
  Idempotency holdfastIdempotency(Holdfast holdfast, HoldfastIdempotencyProperties properties) {
    Idempotency idempotency = holdfast.idempotency();
    Duration retention = properties.retention();
    if (retention != null) {
      idempotency = idempotency.retention(retention);
    }
    Duration waiting = properties.waiting();
    if (waiting != null) {
      idempotency = idempotency.waiting(waiting);
    }
    DataSize largest = properties.largestReply();
    if (largest != null) {
      // what is no int is too large in any case, and refused as such
      idempotency = idempotency.largestReply((int) Math.min(largest.toBytes(), Integer.MAX_VALUE));
    }
    return idempotency;
  }

  @Bean
  @ConditionalOnMissingBean
  @ConditionalOnSingleCandidate(Idempotency.class)
  IdempotencyCleanUp holdfastIdempotencyCleanUp(
      Idempotency idempotency, HoldfastIdempotencyProperties properties) {
    return new IdempotencyCleanUp(idempotency, properties.cleanUpEvery());
  }

  /** Keeps an application from starting that asked for the filter and would not have it. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnMissingClass("dev.holdfast.servlet.IdempotencyFilter")
  @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
  @ConditionalOnBooleanProperty("holdfast.idempotency.filter.enabled")
  static class FilterNotThere {
    FilterNotThere() {
      throw new InvalidConfigurationPropertyValueException(
          "holdfast.idempotency.filter.enabled",
          true,
          "The filter is in holdfast-servlet, which is not on the class path: add"
              + " dev.holdfast:holdfast-servlet to the dependencies, or leave the setting out.");
    }
  }
}
