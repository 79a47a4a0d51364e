package dev.holdfast.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.InvalidArgumentException;
import dev.holdfast.idempotency.Idempotency;
import dev.holdfast.servlet.IdempotencyFilter;
import dev.holdfast.servlet.IdempotencyOptions;
import dev.holdfast.servlet.ProblemFilter;
import dev.holdfast.servlet.RequestTransactions;
import dev.holdfast.sql.Migrations;
import jakarta.servlet.DispatcherType;
import java.util.EnumSet;
import java.util.List;
import java.util.UUID;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.security.autoconfigure.web.servlet.SecurityFilterProperties;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.ParameterizedTypeReference;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.mock.web.MockFilterChain;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;
import org.springframework.transaction.PlatformTransactionManager;

class HoldfastIdempotencyFilterAutoConfigurationTest {
  private static final AutoConfigurations ALL =
      AutoConfigurations.of(
          DataSourceTransactionManagerAutoConfiguration.class,
          TransactionAutoConfiguration.class,
          HoldfastAutoConfiguration.class,
          HoldfastIdempotencyAutoConfiguration.class,
          HoldfastRequestTransactionsAutoConfiguration.class,
          HoldfastMissingFilterAutoConfiguration.class,
          HoldfastIdempotencyFilterAutoConfiguration.class);

  private static final ParameterizedTypeReference<FilterRegistrationBean<IdempotencyFilter>>
      REGISTRATION = new ParameterizedTypeReference<>() {};

  private static final ParameterizedTypeReference<FilterRegistrationBean<ProblemFilter>> PROBLEMS =
      new ParameterizedTypeReference<>() {};

  private static final String ENABLED = "holdfast.idempotency.filter.enabled=true";

  private final DataSource dataSource = h2();

  private final WebApplicationContextRunner application =
      new WebApplicationContextRunner()
          .withConfiguration(ALL)
          .withBean(DataSource.class, () -> dataSource)
          .withPropertyValues("holdfast.schema.mode=migrate");

  private final WebApplicationContextRunner filtered = application.withPropertyValues(ENABLED);

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
    IdempotencyFilter own(Idempotency idempotency) {
      return IdempotencyFilter.on(idempotency.claims());
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
    FilterRegistrationBean<IdempotencyFilter> own(Idempotency idempotency) {
      FilterRegistrationBean<IdempotencyFilter> own =
          new FilterRegistrationBean<>(IdempotencyFilter.on(idempotency.claims()));
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

  /** As who has two kinds of keys does. */
  @Configuration(proxyBeanMethods = false)
  static class SecondRegistration {
    @Bean
    FilterRegistrationBean<IdempotencyFilter> second(Idempotency idempotency) {
      return new FilterRegistrationBean<>(IdempotencyFilter.on(idempotency.claims()));
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
            IdempotencyOptions.class,
            () -> IdempotencyOptions.builder().keyRequired(request -> true).build())
        .run(
            context -> {
              MockHttpServletResponse answer = new MockHttpServletResponse();
              context
                  .getBean(IdempotencyFilter.class)
                  .doFilter(
                      new MockHttpServletRequest("POST", "/orders"), answer, new MockFilterChain());
              assertThat(answer.getStatus()).isEqualTo(400);
            });
  }

  @Test
  void ownTransactionsTakeTheirPlace() {
    filtered
        .withBean("own", RequestTransactions.class, () -> (request, work) -> {})
        .run(context -> assertThat(context).hasSingleBean(RequestTransactions.class));
  }

  @Test
  void oneOfTwoTransactionManagersIsNotGuessed() {
    filtered
        .withBean("a", PlatformTransactionManager.class, this::manager)
        .withBean("b", PlatformTransactionManager.class, this::manager)
        .run(
            context ->
                assertThat(context)
                    .getFailure()
                    .rootCause()
                    .hasMessageContaining("SpringTransactions.on(manager, dataSource)"));
  }

  @Test
  void theTransactionsAreThoseOfTheDataSourceOfTheRecords() {
    DataSource elsewhere = h2();
    Migrations.on(elsewhere).migrate();
    filtered
        .withBean("records", Holdfast.class, () -> Holdfast.using(elsewhere))
        .run(
            context ->
                assertThat(context)
                    .getFailure()
                    .rootCause()
                    .hasMessageContaining("data source of the records"));
  }

  @Test
  void aManagerOfAnotherDataSourceIsRefusedWhereTheFilterWouldUseIt() {
    PlatformTransactionManager elsewhere = new JdbcTransactionManager(h2());
    filtered
        .withBean(PlatformTransactionManager.class, () -> elsewhere)
        .run(
            context ->
                assertThat(context).getFailure().rootCause().hasMessageContaining("data source"));
    application
        .withBean(PlatformTransactionManager.class, () -> elsewhere)
        .run(context -> assertThat(context).hasNotFailed());
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

  private PlatformTransactionManager manager() {
    return new JdbcTransactionManager(dataSource);
  }

  private static DataSource h2() {
    JdbcDataSource source = new JdbcDataSource();
    source.setURL("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
    return source;
  }
}
