package dev.holdfast.server;

import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;

/** Whether the database answers. */
final class DatabaseHealthIndicator implements HealthIndicator {
  private final DatabaseProbe probe;

  DatabaseHealthIndicator(DatabaseProbe probe) {
    this.probe = probe;
  }

  @Override
  public Health health() {
    return (probe.isAnswering() ? Health.up() : Health.down())
        .withDetail("sinceAnswer", probe.sinceAnswer().toString())
        .build();
  }
}
