package dev.holdfast.web;

import dev.holdfast.Holdfast;
import dev.holdfast.InvalidArgumentException;
import dev.holdfast.spring.HoldfastAutoConfiguration;
import dev.holdfast.spring.HoldfastProperties;
import dev.holdfast.spring.HoldfastWorkerCustomizer;
import dev.holdfast.webhook.AddressGuard;
import dev.holdfast.webhook.Attempts;
import dev.holdfast.webhook.DeliveryMemory;
import dev.holdfast.webhook.DeliveryOptions;
import dev.holdfast.webhook.SenderOptions;
import dev.holdfast.webhook.SigningSecrets;
import dev.holdfast.webhook.TargetGateOptions;
import dev.holdfast.webhook.WebhookDelivery;
import dev.holdfast.webhook.WebhookLimits;
import java.util.function.Supplier;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;

/** Delivers webhooks with the worker of the application, and provides their attempts. */
@AutoConfiguration(after = HoldfastAutoConfiguration.class)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnBean(Holdfast.class)
@EnableConfigurationProperties(HoldfastWebhookProperties.class)
public class HoldfastWebhookAutoConfiguration {

  /** The limits of calls, for the API and the sender. */
  @Bean
  @ConditionalOnMissingBean
  WebhookLimits holdfastWebhookLimits(HoldfastWebhookProperties webhook) {
    return checked(
        () ->
            WebhookLimits.ofDefaults()
                .maxBodyBytes(Math.toIntExact(webhook.maxBodySize().toBytes()))
                .maxTimeout(webhook.maxRequestTimeout())
                .httpsOnly(webhook.httpsOnly())
                .ports(webhook.ports()));
  }

  @Bean
  @ConditionalOnMissingBean
  DeliveryOptions holdfastDeliveryOptions(HoldfastWebhookProperties webhook, WebhookLimits limits) {
    int concurrency =
        DeliveryMemory.concurrency(webhook.concurrency(), Runtime.getRuntime().maxMemory());
    return checked(
        () ->
            new DeliveryOptions(
                SenderOptions.ofDefaults()
                    .guard(guard(webhook))
                    .limits(limits)
                    .maxConnections(Math.max(concurrency * 2, 100))
                    .maxRetryAfter(webhook.maxRetryAfter()),
                TargetGateOptions.ofDefaults()
                    .maxConcurrency(webhook.maxConcurrencyPerTarget())
                    .maxOpenTime(webhook.circuitMaxWait()),
                webhook.maxRequestTimeout(),
                concurrency,
                webhook.bodiesInFlight().toBytes(),
                webhook.queues()));
  }

  private static AddressGuard guard(HoldfastWebhookProperties webhook) {
    AddressGuard guard = AddressGuard.ofDefaults();
    for (String entry : webhook.allow()) {
      guard = allowing(guard, entry.strip());
    }
    return guard;
  }

  private static AddressGuard allowing(AddressGuard guard, String entry) {
    try {
      return guard.allow(entry);
    } catch (InvalidArgumentException refused) {
      throw new InvalidArgumentException(
          "a target to allow must be a block such as 10.1.0.0/16, an address or a name, was '"
              + entry
              + "'",
          refused);
    }
  }

  private static <T> T checked(Supplier<T> settings) {
    try {
      return settings.get();
    } catch (InvalidArgumentException refused) {
      throw new InvalidArgumentException(
          "a setting of webhooks is not valid: " + refused.getMessage(), refused);
    }
  }

  @Bean
  @ConditionalOnMissingBean
  Attempts holdfastAttempts(Holdfast holdfast, HoldfastProperties properties) {
    return Attempts.of(holdfast, properties.schema().name());
  }

  @Bean(destroyMethod = "close")
  SigningSecrets holdfastSigningSecrets(Holdfast holdfast, HoldfastProperties properties) {
    return SigningSecrets.open(holdfast, properties.schema().name());
  }

  @Bean
  SigningSecretsController holdfastSigningSecretsController(SigningSecrets secrets) {
    return new SigningSecretsController(secrets);
  }

  @Bean(destroyMethod = "close")
  @ConditionalOnProperty(name = "holdfast.web.webhook.enabled", matchIfMissing = true)
  WebhookDelivery holdfastWebhookDelivery(
      Holdfast holdfast,
      HoldfastProperties properties,
      DeliveryOptions options,
      SigningSecrets secrets) {
    return WebhookDelivery.builder(holdfast)
        .options(options)
        .schema(properties.schema().name())
        .instanceName(properties.instanceName())
        .shards(properties.shards())
        .retention(properties.worker().retention())
        .open(secrets);
  }

  @Bean
  @ConditionalOnProperty(name = "holdfast.web.webhook.enabled", matchIfMissing = true)
  HoldfastWorkerCustomizer holdfastWebhookWorker(WebhookDelivery delivery) {
    return delivery::register;
  }
}
