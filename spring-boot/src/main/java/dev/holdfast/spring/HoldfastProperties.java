package dev.holdfast.spring;

import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The settings of Holdfast in a Spring Boot application. Immutable.
 *
 * @param schema where Holdfast's tables are, and what to do about them at the start
 * @param shards over how many shards events are spread; the same number for all instances, for ever
 * @param instanceName what this instance is called in lists and logs; by default by its process
 * @param worker whether and how this application handles events
 */
@ConfigurationProperties("holdfast")
public record HoldfastProperties(
    @DefaultValue Schema schema,
    @DefaultValue("1") int shards,
    @Nullable String instanceName,
    @DefaultValue Worker worker) {

  /**
   * Where Holdfast's tables are.
   *
   * @param name the name of the schema; by default the current one of the connections
   * @param mode what to do about the tables before anything else
   */
  public record Schema(@Nullable String name, @DefaultValue("validate") Mode mode) {}

  /** What to do about Holdfast's tables when the application starts. */
  public enum Mode {
    /** Creates and upgrades them. */
    MIGRATE,
    /** Refuses to start where they are not what this version works with. */
    VALIDATE,
    /** Nothing. */
    NONE
  }

  /**
   * How this application handles events, and how its background services stop.
   *
   * @param enabled whether it handles events, if there is an {@code EventHandler} or a {@link
   *     HoldfastWorkerCustomizer}
   * @param queues the concurrency of each queue by its name; by default {@code default} with 16
   * @param pollInterval how often to look for due events without a notification
   * @param leaseDuration how long an instance may be silent before others take over its events
   * @param retention how long ended events are kept; the same for all instances
   * @param shutdownTimeout how long handlers and other background services may take to end when the
   *     application stops
   */
  public record Worker(
      @DefaultValue("true") boolean enabled,
      @DefaultValue Map<String, Integer> queues,
      @DefaultValue("1s") Duration pollInterval,
      @DefaultValue("15s") Duration leaseDuration,
      @DefaultValue("7d") Duration retention,
      @DefaultValue("20s") Duration shutdownTimeout) {
    public Worker {
      queues = Map.copyOf(queues);
    }
  }

  void applyTo(dev.holdfast.event.Worker.Builder builder) {
    builder
        .pollInterval(worker.pollInterval())
        .leaseDuration(worker.leaseDuration())
        .retention(worker.retention())
        .shutdownTimeout(worker.shutdownTimeout());
    if (!worker.queues().isEmpty()) {
      builder.queues(worker.queues());
    }
    if (instanceName != null) {
      builder.instanceName(instanceName);
    }
  }
}
