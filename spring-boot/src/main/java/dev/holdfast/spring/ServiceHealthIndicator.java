package dev.holdfast.spring;

import dev.holdfast.BackgroundService;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;

/**
 * The health of a service, in the words of Boot: {@code DEGRADED} is up, with its issues in the
 * details, and {@code STOPPED} is out of service. Does not use the database, so it never waits.
 */
final class ServiceHealthIndicator implements HealthIndicator {
  private final BackgroundService service;

  ServiceHealthIndicator(BackgroundService service) {
    this.service = service;
  }

  @Override
  public Health health() {
    dev.holdfast.Health now = service.health();
    Health.Builder builder =
        switch (now.status()) {
          case UP, DEGRADED -> Health.up();
          case DOWN -> Health.down();
          case STOPPED -> Health.outOfService();
        };
    now.details().forEach(builder::withDetail);
    List<Map<String, String>> issues =
        now.issues().stream().map(ServiceHealthIndicator::details).toList();
    return builder.withDetail("issues", issues).build();
  }

  private static Map<String, String> details(dev.holdfast.Health.Issue issue) {
    Map<String, String> details = new LinkedHashMap<>();
    details.put("code", issue.code());
    details.put("message", issue.message());
    details.put("age", issue.age().toString());
    return details;
  }
}
