package dev.holdfast.spring;

import dev.holdfast.BackgroundService;
import java.util.LinkedHashMap;
import java.util.Map;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.CompositeHealthContributor;
import org.springframework.boot.health.contributor.HealthContributor;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;

/**
 * The health of every {@link BackgroundService} bean, where the application has Boot's health: one
 * entry for each below {@code holdfast}.
 */
@AutoConfiguration(after = HoldfastWorkerAutoConfiguration.class)
@ConditionalOnClass({HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
@ConditionalOnBean(BackgroundService.class)
@ConditionalOnEnabledHealthIndicator("holdfast")
public class HoldfastHealthAutoConfiguration {

  @Bean
  @ConditionalOnMissingBean(name = "holdfastHealthContributor")
  HealthContributor holdfastHealthContributor(ListableBeanFactory beans) {
    Map<String, HealthIndicator> indicators = new LinkedHashMap<>();
    beans
        .getBeansOfType(BackgroundService.class)
        .forEach(
            (bean, service) -> {
              String name = service.name().replace('/', '-');
              indicators.put(
                  indicators.containsKey(name) ? bean : name, new ServiceHealthIndicator(service));
            });
    return CompositeHealthContributor.fromMap(indicators);
  }
}
