package dev.holdfast.spring;

import java.time.Duration;
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
   * How this application handles events.
   *
   * @param enabled whether it does, where there is a {@link HoldfastWorkerCustomizer}
   * @param stopWithin how long handlers may take to come to their end when the application stops
   * @param keepHistory how long ended events are kept; the same for all instances
   */
  public record Worker(
      @DefaultValue("true") boolean enabled,
      @DefaultValue("20s") Duration stopWithin,
      @DefaultValue("7d") Duration keepHistory) {}
}
