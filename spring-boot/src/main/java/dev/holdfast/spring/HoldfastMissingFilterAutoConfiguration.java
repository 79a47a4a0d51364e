package dev.holdfast.spring;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.context.annotation.Configuration;

/**
 * Keeps an application from starting that asked for the filter for {@code Idempotency-Key} and
 * would not have it: keys would mean nothing.
 */
@AutoConfiguration
@ConditionalOnWebApplication
@ConditionalOnBooleanProperty(HoldfastMissingFilterAutoConfiguration.SETTING)
public class HoldfastMissingFilterAutoConfiguration {
  static final String SETTING = "holdfast.idempotency.filter.enabled";

  private static InvalidConfigurationPropertyValueException refusal(String reason) {
    return new InvalidConfigurationPropertyValueException(SETTING, true, reason);
  }

  @Configuration(proxyBeanMethods = false)
  @ConditionalOnMissingClass("dev.holdfast.servlet.IdempotencyFilter")
  static class WithoutServletModule {
    WithoutServletModule() {
      throw refusal(
          "The filter is in holdfast-servlet, which is not on the class path: add"
              + " dev.holdfast:holdfast-servlet to the dependencies, or leave the setting out.");
    }
  }

  @Configuration(proxyBeanMethods = false)
  @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
  static class Reactive {
    Reactive() {
      throw refusal(
          "The filter is one of servlets, and this is a reactive application, whose requests would"
              + " pass it by: use Idempotency or Workflows in its code, and leave the"
              + " setting out.");
    }
  }
}
