package dev.holdfast.server;

import java.time.Duration;
import java.util.Optional;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;

/** Whether the embedded database lives, or can be started again; up where there is none. */
final class EmbeddedHealthIndicator implements HealthIndicator {
  private final Database database;
  private final Duration limit;

  /**
   * @param limit for how long it may be dead
   */
  EmbeddedHealthIndicator(Database database, Duration limit) {
    this.database = database;
    this.limit = limit;
  }

  @Override
  public Health health() {
    Optional<Duration> dead = database.deadFor();
    return dead.filter(time -> time.compareTo(limit) > 0).isPresent()
        ? Health.down().withDetail("deadFor", dead.orElseThrow().toString()).build()
        : Health.up().build();
  }
}
