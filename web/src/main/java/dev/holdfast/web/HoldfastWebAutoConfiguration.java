package dev.holdfast.web;

import dev.holdfast.Holdfast;
import dev.holdfast.spring.HoldfastAutoConfiguration;
import dev.holdfast.spring.HoldfastProperties;
import dev.holdfast.web.access.Access;
import dev.holdfast.web.access.Audit;
import dev.holdfast.web.access.SessionController;
import dev.holdfast.web.access.SessionCookie;
import dev.holdfast.web.access.Tokens;
import dev.holdfast.web.api.ApiController;
import dev.holdfast.web.api.Mount;
import dev.holdfast.web.api.ProblemResolver;
import dev.holdfast.web.event.EventsConfiguration;
import dev.holdfast.web.schedule.ScheduleConfiguration;
import dev.holdfast.web.stats.StatsConfiguration;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.core.Ordered;
import org.springframework.web.method.HandlerTypePredicate;
import org.springframework.web.servlet.config.annotation.InterceptorRegistry;
import org.springframework.web.servlet.config.annotation.PathMatchConfigurer;
import org.springframework.web.servlet.config.annotation.ResourceHandlerRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/**
 * Mounts the API and the dashboard in a servlet application that has a {@link Holdfast}. The rest
 * of the application, its errors and its JSON stay as they are.
 */
@AutoConfiguration(after = HoldfastAutoConfiguration.class)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnBean(Holdfast.class)
@EnableConfigurationProperties(HoldfastWebProperties.class)
@Import({EventsConfiguration.class, ScheduleConfiguration.class, StatsConfiguration.class})
public class HoldfastWebAutoConfiguration {

  @Bean
  @ConditionalOnMissingBean
  Tokens holdfastTokens(Holdfast holdfast, HoldfastProperties properties) {
    return Tokens.of(holdfast, properties.schema().name());
  }

  @Bean
  Mount holdfastMount(HoldfastWebProperties web) {
    return new Mount(web.path());
  }

  @Bean
  SessionCookie holdfastSessionCookie(HoldfastWebProperties web) {
    return new SessionCookie(web.path());
  }

  @Bean
  Audit holdfastAudit() {
    return new Audit();
  }

  @Bean
  Access holdfastAccess(Tokens tokens, SessionCookie cookie, Audit audit) {
    return new Access(tokens, cookie, audit);
  }

  @Bean
  ProblemResolver holdfastProblemResolver(HoldfastWebProperties web) {
    return new ProblemResolver(new WebPaths(web.path())::isOurs);
  }

  @Bean
  FilterRegistrationBean<WebFilter> holdfastWebFilter(HoldfastWebProperties web) {
    WebFilter filter =
        new WebFilter(
            new WebPaths(web.path()), web.maxRequestSize().toBytes(), BodyMemory.ofThisJvm());
    FilterRegistrationBean<WebFilter> registration = new FilterRegistrationBean<>(filter);
    registration.addUrlPatterns(web.path() + "/*");
    registration.setOrder(Ordered.HIGHEST_PRECEDENCE + 100);
    return registration;
  }

  @Bean
  SessionController holdfastSessionController(
      Access access, SessionCookie cookie, HoldfastWebProperties web, Audit audit) {
    return new SessionController(access, cookie, web.sessionLength(), audit);
  }

  @Bean
  InstancesController holdfastInstancesController(Holdfast holdfast) {
    return new InstancesController(holdfast);
  }

  @Bean
  PageController holdfastPageController() {
    return new PageController();
  }

  @Bean
  WebMvcConfigurer holdfastWebMvc(HoldfastWebProperties web, Access access, Audit audit) {
    return new WebMvcConfigurer() {
      @Override
      public void configurePathMatch(PathMatchConfigurer paths) {
        if (!web.path().isEmpty()) {
          paths.addPathPrefix(web.path(), HandlerTypePredicate.forAnnotation(ApiController.class));
        }
      }

      @Override
      public void addInterceptors(InterceptorRegistry interceptors) {
        interceptors.addInterceptor(new AccessInterceptor(access, audit));
      }

      @Override
      public void addResourceHandlers(ResourceHandlerRegistry resources) {
        resources
            .addResourceHandler(web.path() + "/ui/**")
            .addResourceLocations("classpath:/dev/holdfast/web/ui/");
      }
    };
  }
}
