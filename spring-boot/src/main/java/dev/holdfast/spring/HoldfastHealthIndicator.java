package dev.holdfast.spring;

import dev.holdfast.event.WorkerHealth;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;

/**
 * Whether the worker of this application can work: up with its lease, down without, out of service
 * when it was stopped; up too where it has no handlers, as in an application that uses nothing of
 * events. Asks nobody, so it never waits.
 */
final class HoldfastHealthIndicator implements HealthIndicator {
  private final HoldfastWorker worker;

  HoldfastHealthIndicator(HoldfastWorker worker) {
    this.worker = worker;
  }

  @Override
  public Health health() {
    return worker.worker().map(running -> health(running.health())).orElseGet(this::withoutWorker);
  }

  private Health withoutWorker() {
    return worker.hasNothingToDo()
        ? Health.up().withDetail("worker", "has nothing to do").build()
        : Health.outOfService().withDetail("worker", "is not running").build();
  }

  private static Health health(WorkerHealth worker) {
    return (worker.hasLease() ? Health.up() : Health.down())
        .withDetail("lease", worker.hasLease())
        .withDetail("wakeUp", worker.wakeUp())
        .withDetail("troubles", worker.troubles())
        .build();
  }
}
