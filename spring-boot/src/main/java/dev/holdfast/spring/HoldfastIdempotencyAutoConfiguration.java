package dev.holdfast.spring;

import dev.holdfast.Holdfast;
import dev.holdfast.idempotency.Idempotency;
import java.time.Duration;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
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

  /** Of several with settings of their own the records are the same. */
  @Bean
  @ConditionalOnMissingBean
  IdempotencyCleanUp holdfastIdempotencyCleanUp(
      ObjectProvider<Idempotency> idempotency,
      Holdfast holdfast,
      HoldfastIdempotencyProperties properties) {
    return new IdempotencyCleanUp(
        idempotency.getIfUnique(holdfast::idempotency), properties.cleanUpEvery());
  }
}
