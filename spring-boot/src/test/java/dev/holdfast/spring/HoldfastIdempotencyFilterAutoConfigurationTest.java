package dev.holdfast.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.InvalidArgumentException;
import dev.holdfast.idempotency.Idempotency;
import dev.holdfast.servlet.IdempotencyFilter;
import dev.holdfast.servlet.IdempotencyFilterOptions;
import dev.holdfast.servlet.ProblemFilter;
import dev.holdfast.servlet.RequestTransactions;
import dev.holdfast.workflow.Workflows;
import jakarta.servlet.DispatcherType;
import java.util.EnumSet;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.boot.security.autoconfigure.web.servlet.SecurityFilterProperties;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.web.servlet.FilterRegistration;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.ParameterizedTypeReference;
import org.springframework.mock.web.MockFilterChain;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;

class HoldfastIdempotencyFilterAutoConfigurationTest extends FilteredApplications {
  private static final ParameterizedTypeReference<FilterRegistrationBean<IdempotencyFilter>>
      REGISTRATION = new ParameterizedTypeReference<>() {};

  private static final ParameterizedTypeReference<FilterRegistrationBean<ProblemFilter>> PROBLEMS =
      new ParameterizedTypeReference<>() {};

  @Test
  void withoutAWordThereAreTransactionsButNoFilter() {
    application.run(
        context -> {
          assertThat(context).doesNotHaveBean(IdempotencyFilter.class);
          assertThat(context).doesNotHaveBean(FilterRegistrationBean.class);
          assertThat(context.getBean(RequestTransactions.class))
              .isInstanceOf(SpringTransactions.class);
        });
  }

  @Test
  void theFilterIsMappedToRequestsAndTheirAsyncPartsAfterSpringSecurity() {
    filtered.run(
        context -> {
          FilterRegistrationBean<?> registration = registration(context);
          assertThat(registration.getUrlPatterns()).containsExactly("/*");
          assertThat(registration.determineDispatcherTypes())
              .isEqualTo(EnumSet.of(DispatcherType.REQUEST, DispatcherType.ASYNC));
          assertThat(registration.isAsyncSupported()).isTrue();
          assertThat(registration.getOrder())
              .isGreaterThan(SecurityFilterProperties.DEFAULT_FILTER_ORDER);
          assertThatProblemsAreDirectlyInside(context);
        });
  }

  @Test
  void itsPathsAndItsPlaceCanBeSaid() {
    filtered
        .withPropertyValues(
            "holdfast.idempotency.filter.url-patterns=/orders/*,/payments",
            "holdfast.idempotency.filter.order=7")
        .run(
            context -> {
              assertThat(registration(context).getUrlPatterns())
                  .containsExactly("/orders/*", "/payments");
              assertThat(registration(context).getOrder()).isEqualTo(7);
              assertThatProblemsAreDirectlyInside(context);
            });
  }

  @Test
  void aFilterWithoutPathsIsRefused() {
    filtered
        .withPropertyValues("holdfast.idempotency.filter.url-patterns=")
        .run(
            context ->
                assertThat(context)
                    .getFailure()
                    .hasRootCauseInstanceOf(InvalidArgumentException.class));
  }

  /** By claims, whatever transactions there are. */
  @Configuration(proxyBeanMethods = false)
  static class OwnFilter {
    @Bean
    IdempotencyFilter own(Workflows workflows) {
      return IdempotencyFilter.builder(workflows).build();
    }
  }

  @Test
  void anOwnFilterTakesItsPlaceAndIsMappedLikeIt() {
    filtered
        .withUserConfiguration(OwnFilter.class)
        .run(
            context -> {
              assertThat(context).hasSingleBean(IdempotencyFilter.class).hasBean("own");
              assertThat(registration(context).getFilter()).isSameAs(context.getBean("own"));
              assertThat(registration(context).getOrder()).isEqualTo(-50);
            });
  }

  /** As who maps a filter to other paths does. */
  @Configuration(proxyBeanMethods = false)
  static class OwnRegistration {
    @Bean
    FilterRegistrationBean<IdempotencyFilter> own(Workflows workflows) {
      FilterRegistrationBean<IdempotencyFilter> own =
          new FilterRegistrationBean<>(IdempotencyFilter.builder(workflows).build());
      own.setUrlPatterns(List.of("/own/*"));
      own.setDispatcherTypes(DispatcherType.REQUEST, DispatcherType.FORWARD);
      own.setOrder(1000);
      return own;
    }
  }

  @Test
  void anOwnRegistrationTakesItsPlace() {
    filtered
        .withUserConfiguration(OwnRegistration.class)
        .run(
            context -> {
              assertThat(context).doesNotHaveBean(IdempotencyFilter.class);
              assertThat(registration(context)).isSameAs(context.getBean("own"));
              assertThatProblemsAreDirectlyInside(context);
            });
  }

  @Configuration(proxyBeanMethods = false)
  static class AnnotatedFilter {
    @Bean
    @FilterRegistration(urlPatterns = "/orders/*")
    IdempotencyFilter annotated(Workflows workflows) {
      return IdempotencyFilter.builder(workflows)
          .options(IdempotencyFilterOptions.ofDefaults())
          .build();
    }
  }

  @Test
  void anAnnotationThatWouldNotBeSeenIsRefused() {
    filtered
        .withUserConfiguration(AnnotatedFilter.class)
        .run(
            context ->
                assertThat(context)
                    .getFailure()
                    .rootCause()
                    .hasMessageContaining("@FilterRegistration"));
  }

  /** As who has two kinds of keys does. */
  @Configuration(proxyBeanMethods = false)
  static class SecondRegistration {
    @Bean
    FilterRegistrationBean<IdempotencyFilter> second(Workflows workflows) {
      return new FilterRegistrationBean<>(IdempotencyFilter.builder(workflows).build());
    }
  }

  @Test
  void insideOfWhichOfSeveralProblemsBelongIsNotGuessed() {
    filtered
        .withUserConfiguration(OwnRegistration.class, SecondRegistration.class)
        .run(context -> assertThat(problems(context).isEnabled()).isFalse());
  }

  @Test
  void anOwnProblemFilterTakesItsPlaceAndIsMappedLikeIt() {
    filtered
        .withBean("own", ProblemFilter.class, ProblemFilter::new)
        .run(
            context -> {
              assertThat(context).hasSingleBean(ProblemFilter.class);
              assertThat(problems(context).getFilter()).isSameAs(context.getBean("own"));
              assertThatProblemsAreDirectlyInside(context);
            });
  }

  /** As who has problems of more paths answered does. */
  @Configuration(proxyBeanMethods = false)
  static class OwnProblems {
    @Bean
    FilterRegistrationBean<ProblemFilter> own() {
      return new FilterRegistrationBean<>(new ProblemFilter());
    }
  }

  @Test
  void anOwnRegistrationOfTheProblemFilterTakesItsPlace() {
    filtered
        .withUserConfiguration(OwnProblems.class)
        .run(
            context -> {
              assertThat(context).doesNotHaveBean(ProblemFilter.class);
              assertThat(problems(context)).isSameAs(context.getBean("own"));
              assertThat(context).hasBean("holdfastIdempotencyFilterRegistration");
            });
  }

  @Test
  void inTheLastPlaceThereIsNoneAfterIt() {
    filtered
        .withPropertyValues("holdfast.idempotency.filter.order=" + Integer.MAX_VALUE)
        .run(context -> assertThat(problems(context).getOrder()).isEqualTo(Integer.MAX_VALUE));
  }

  /** Of some other filter. */
  @Configuration(proxyBeanMethods = false)
  static class OtherRegistration {
    @Bean
    FilterRegistrationBean<jakarta.servlet.Filter> other() {
      return new FilterRegistrationBean<>(
          (request, response, chain) -> chain.doFilter(request, response));
    }
  }

  @Test
  void otherFiltersAreNotInItsWay() {
    filtered
        .withUserConfiguration(OtherRegistration.class)
        .run(
            context ->
                assertThat(context)
                    .hasBean("holdfastIdempotencyFilterRegistration")
                    .hasBean("holdfastProblemFilterRegistration"));
  }

  @Test
  void ownOptionsAreUsed() {
    filtered
        .withBean(
            IdempotencyFilterOptions.class,
            () -> IdempotencyFilterOptions.builder().requireKey(request -> true).build())
        .withPropertyValues("holdfast.idempotency.filter.documentation=https://shop.example/keys")
        .run(
            context -> {
              MockHttpServletResponse answer = new MockHttpServletResponse();
              context
                  .getBean(IdempotencyFilter.class)
                  .doFilter(
                      new MockHttpServletRequest("POST", "/orders"), answer, new MockFilterChain());
              assertThat(answer.getStatus()).isEqualTo(400);
              assertThat(answer.getHeader("Link"))
                  .isEqualTo("<https://shop.example/keys>; rel=\"describedby\"");
            });
  }

  @Test
  void withoutADataSourceTheFilterIsRefused() {
    new WebApplicationContextRunner()
        .withConfiguration(ALL)
        .withPropertyValues(ENABLED)
        .run(
            context ->
                assertThat(context)
                    .getFailure()
                    .hasRootCauseInstanceOf(NoSuchBeanDefinitionException.class));
  }

  @Test
  void withoutSpringsTransactionsThereIsAFilterAllTheSame() {
    filtered
        .withClassLoader(
            new FilteredClassLoader("org.springframework.jdbc", "org.springframework.transaction"))
        .run(
            context -> {
              assertThat(context).doesNotHaveBean(RequestTransactions.class);
              assertThat(context).hasSingleBean(IdempotencyFilter.class);
            });
  }

  @Test
  void theServletModuleNeedsNotBeThereUnlessTheFilterIsAskedFor() {
    FilteredClassLoader without = new FilteredClassLoader("dev.holdfast.servlet");
    application
        .withClassLoader(without)
        .run(context -> assertThat(context).hasNotFailed().hasSingleBean(Idempotency.class));
    filtered
        .withClassLoader(without)
        .run(
            context ->
                assertThat(context)
                    .getFailure()
                    .rootCause()
                    .hasMessageContaining("holdfast-servlet"));
  }

  @Test
  void aReactiveApplicationThatAsksForTheFilterIsRefused() {
    new ReactiveWebApplicationContextRunner()
        .withConfiguration(ALL)
        .withBean(DataSource.class, () -> dataSource)
        .withPropertyValues("holdfast.schema.mode=migrate", ENABLED)
        .run(
            context ->
                assertThat(context).getFailure().rootCause().hasMessageContaining("reactive"));
  }

  @Test
  void anApplicationWithoutRequestsHasNoFilter() {
    new ApplicationContextRunner()
        .withConfiguration(ALL)
        .withBean(DataSource.class, () -> dataSource)
        .withPropertyValues("holdfast.schema.mode=migrate", ENABLED)
        .run(
            context -> assertThat(context).hasNotFailed().doesNotHaveBean(IdempotencyFilter.class));
  }

  private static void assertThatProblemsAreDirectlyInside(ApplicationContext context) {
    FilterRegistrationBean<?> outer = registration(context);
    FilterRegistrationBean<?> inner = problems(context);
    assertThat(inner.isEnabled()).isTrue();
    assertThat(inner.getOrder()).isEqualTo(outer.getOrder() + 1);
    assertThat(inner.getUrlPatterns()).isEqualTo(outer.getUrlPatterns());
    assertThat(inner.determineDispatcherTypes()).isEqualTo(outer.determineDispatcherTypes());
    assertThat(inner.isAsyncSupported()).isTrue();
  }

  private static FilterRegistrationBean<IdempotencyFilter> registration(
      ApplicationContext context) {
    return context.getBeanProvider(REGISTRATION).getObject();
  }

  private static FilterRegistrationBean<ProblemFilter> problems(ApplicationContext context) {
    return context.getBeanProvider(PROBLEMS).getObject();
  }
}
