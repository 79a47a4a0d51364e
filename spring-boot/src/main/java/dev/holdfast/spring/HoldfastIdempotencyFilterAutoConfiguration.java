package dev.holdfast.spring;

import dev.holdfast.idempotency.Idempotency;
import dev.holdfast.servlet.IdempotencyFilter;
import dev.holdfast.servlet.IdempotencyFilterOptions;
import dev.holdfast.servlet.ProblemFilter;
import dev.holdfast.servlet.RequestTransactions;
import dev.holdfast.workflow.Workflows;
import jakarta.servlet.DispatcherType;
import java.net.URI;
import java.util.EnumSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.web.servlet.FilterRegistration;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;

/**
 * The filter for the header {@code Idempotency-Key}, in a servlet application that asks for it by
 * {@code holdfast.idempotency.filter.enabled=true}: in transactions if there are {@link
 * RequestTransactions}, otherwise with leases. Directly inside of it is a {@link ProblemFilter}, so
 * that a rejection by an exception of the application is a response that is recorded.
 *
 * <p>An {@link IdempotencyFilter} or a {@link ProblemFilter} of the application takes the place of
 * that one, and is mapped as it would be, unless the application registers it itself. Where there
 * is nothing to keep records in, the application does not start.
 */
@AutoConfiguration(
    after = {
      HoldfastIdempotencyAutoConfiguration.class,
      HoldfastRequestTransactionsAutoConfiguration.class
    })
@ConditionalOnClass(IdempotencyFilter.class)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnBooleanProperty("holdfast.idempotency.filter.enabled")
@EnableConfigurationProperties(HoldfastIdempotencyProperties.class)
public class HoldfastIdempotencyFilterAutoConfiguration {
  private static final Logger LOG =
      LoggerFactory.getLogger(HoldfastIdempotencyFilterAutoConfiguration.class);

  @Bean
  @ConditionalOnMissingBean(parameterizedContainer = FilterRegistrationBean.class)
  IdempotencyFilter holdfastIdempotencyFilter(
      Idempotency idempotency,
      Workflows workflows,
      ObjectProvider<RequestTransactions> transactions,
      ObjectProvider<IdempotencyFilterOptions> options,
      HoldfastIdempotencyProperties properties) {
    IdempotencyFilterOptions chosen =
        options.getIfAvailable(() -> IdempotencyFilterOptions.ofDefaults());
    URI documentation = properties.filter().documentation();
    if (documentation != null) {
      chosen = chosen.toBuilder().documentation(documentation).build();
    }
    IdempotencyFilter.Builder filter =
        IdempotencyFilter.builder(workflows).idempotency(idempotency).options(chosen);
    RequestTransactions inTransactions = transactions.getIfAvailable();
    if (inTransactions != null) {
      UrlPatterns leased = UrlPatterns.of(properties.filter().leaseUrlPatterns());
      return filter.transactions(inTransactions.exclude(request -> leased.match(request))).build();
    }
    LOG.info(
        "idempotency-filter: requests with an Idempotency-Key use leases, because there are no"
            + " RequestTransactions");
    return filter.build();
  }

  @Bean
  @ConditionalOnMissingBean
  @ConditionalOnBean(IdempotencyFilter.class)
  FilterRegistrationBean<IdempotencyFilter> holdfastIdempotencyFilterRegistration(
      IdempotencyFilter filter,
      HoldfastIdempotencyProperties properties,
      ListableBeanFactory beans) {
    if (beans.getBeansWithAnnotation(FilterRegistration.class).containsValue(filter)) {
      // where it is registered twice, Boot would not see the annotation
      throw new IllegalStateException(
          "an IdempotencyFilter must not have a @FilterRegistration: map it by"
              + " holdfast.idempotency.filter.url-patterns, or by a FilterRegistrationBean");
    }
    FilterRegistrationBean<IdempotencyFilter> registration = new FilterRegistrationBean<>(filter);
    registration.setDispatcherTypes(EnumSet.of(DispatcherType.REQUEST, DispatcherType.ASYNC));
    registration.setAsyncSupported(true);
    registration.setUrlPatterns(properties.filter().urlPatterns());
    registration.setOrder(properties.filter().order());
    return registration;
  }

  @Bean
  @ConditionalOnMissingBean(parameterizedContainer = FilterRegistrationBean.class)
  ProblemFilter holdfastProblemFilter() {
    return new ProblemFilter();
  }

  /**
   * Mapped as the idempotency filter is, also by a registration of the application. Inside of which
   * of several it belongs is not guessed.
   */
  @Bean
  @ConditionalOnMissingBean
  @ConditionalOnBean(ProblemFilter.class)
  FilterRegistrationBean<ProblemFilter> holdfastProblemFilterRegistration(
      ProblemFilter filter, ObjectProvider<FilterRegistrationBean<IdempotencyFilter>> around) {
    FilterRegistrationBean<ProblemFilter> registration = new FilterRegistrationBean<>(filter);
    FilterRegistrationBean<IdempotencyFilter> outer = around.getIfUnique();
    if (outer == null) {
      registration.setEnabled(false);
      return registration;
    }
    registration.setEnabled(outer.isEnabled());
    registration.setDispatcherTypes(outer.determineDispatcherTypes());
    registration.setAsyncSupported(outer.isAsyncSupported());
    registration.setUrlPatterns(outer.getUrlPatterns());
    registration.setServletNames(outer.getServletNames());
    registration.setServletRegistrationBeans(outer.getServletRegistrationBeans());
    registration.setMatchAfter(outer.isMatchAfter());
    // the last place is the last: there the order of the beans decides
    registration.setOrder(Math.max(outer.getOrder(), outer.getOrder() + 1));
    return registration;
  }
}
