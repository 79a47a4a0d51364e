package dev.holdfast.server;

import dev.holdfast.web.webhook.AttemptOutcome;
import dev.holdfast.web.webhook.WebhookDelivery;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.Locale;

/** What this instance has delivered, and delivers. */
final class WebhookMeters implements MeterBinder {
  private final WebhookDelivery delivery;

  WebhookMeters(WebhookDelivery delivery) {
    this.delivery = delivery;
  }

  @Override
  public void bindTo(MeterRegistry registry) {
    for (AttemptOutcome outcome : AttemptOutcome.values()) {
      FunctionCounter.builder(
              "holdfast.webhook.attempts", delivery, now -> (double) now.attempts(outcome))
          .tag("outcome", outcome.name().toLowerCase(Locale.ROOT))
          .description("Attempts to deliver a webhook, by what they came to")
          .register(registry);
    }
    FunctionCounter.builder("holdfast.webhook.deferred", delivery, now -> (double) now.delays())
        .description("Webhooks that were put off, because their target or this instance was busy")
        .register(registry);
    FunctionCounter.builder(
            "holdfast.webhook.attempts.dropped", delivery, now -> (double) now.attemptsLeftOut())
        .description("Attempts that were made and could not be written down")
        .register(registry);
    Gauge.builder("holdfast.webhook.in.flight", delivery, WebhookDelivery::underWay)
        .description("Webhooks that are under way")
        .register(registry);
    Gauge.builder("holdfast.webhook.open.circuits", delivery, WebhookDelivery::openCircuits)
        .description("Targets that are left alone because they have failed")
        .register(registry);
  }
}
