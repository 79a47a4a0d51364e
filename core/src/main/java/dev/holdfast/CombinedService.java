package dev.holdfast;

import dev.holdfast.Health.Issue;
import dev.holdfast.Health.Status;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;

/** Several services as one. Thread-safe. */
final class CombinedService implements BackgroundService {
  private static final Duration MAX_TIMEOUT = Duration.ofDays(7);

  private final String name;
  private final List<BackgroundService> services;

  CombinedService(String name, BackgroundService... services) {
    this.name = Objects.requireNonNull(name, "name");
    this.services = List.of(services);
    if (services.length == 0) {
      throw new InvalidArgumentException("services must not be empty");
    }
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public synchronized void start() {
    List<BackgroundService> started = new ArrayList<>();
    try {
      for (BackgroundService service : services) {
        boolean wasRunning = service.isRunning();
        service.start();
        if (!wasRunning) {
          started.add(0, service);
        }
      }
    } catch (RuntimeException | Error e) {
      for (BackgroundService service : started) {
        try {
          boolean unused = service.stop(Duration.ZERO);
        } catch (RuntimeException | Error alsoThis) {
          e.addSuppressed(alsoThis);
        }
      }
      throw e;
    }
  }

  @Override
  public synchronized boolean stop(Duration timeout) {
    if (timeout.isNegative() || timeout.compareTo(MAX_TIMEOUT) > 0) {
      throw new InvalidArgumentException(
          "timeout must be from PT0S to " + MAX_TIMEOUT + ", was " + timeout);
    }
    long end = System.nanoTime() + timeout.toNanos();
    boolean complete = true;
    for (int i = services.size() - 1; i >= 0; i--) {
      Duration remaining = Duration.ofNanos(Math.max(0, end - System.nanoTime()));
      complete &= services.get(i).stop(remaining);
    }
    return complete;
  }

  @Override
  public boolean isRunning() {
    return services.stream().anyMatch(BackgroundService::isRunning);
  }

  @Override
  public Health health() {
    Status worst = Status.UP;
    List<Issue> issues = new ArrayList<>();
    Map<String, String> details = new LinkedHashMap<>();
    for (BackgroundService service : services) {
      Health health = service.health();
      worst = worst.worse(health.status());
      issues.addAll(health.issues());
      details.put(service.name(), health.status().name().toLowerCase(Locale.ROOT));
      health
          .details()
          .forEach((detail, value) -> details.put(service.name() + "." + detail, value));
    }
    return new Health(worst, issues, details);
  }

  @Override
  public synchronized void close() {
    for (int i = services.size() - 1; i >= 0; i--) {
      services.get(i).close();
    }
  }

  @Override
  public String toString() {
    return name + services;
  }
}
