package dev.holdfast.web;

import dev.holdfast.internal.Require;
import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * The settings of Holdfast's API and dashboard. Immutable.
 *
 * @param path under which they are mounted, {@code /holdfast} by default; empty for the root, which
 *     the application must not use itself then
 * @param maxRequestSize maximum size of a request body
 * @param sessionLength how long a session of the dashboard lasts
 */
@ConfigurationProperties("holdfast.web")
public record HoldfastWebProperties(
    @DefaultValue("/holdfast") String path,
    @DefaultValue("10MB") DataSize maxRequestSize,
    @DefaultValue("12h") Duration sessionLength) {
  public HoldfastWebProperties {
    String given = path;
    Require.that(
        path.isEmpty() || path.matches("(/[A-Za-z0-9_.~-]+)+"),
        () -> "holdfast.web.path must be empty or such as '/holdfast', was '" + given + "'");
    Require.between(sessionLength, Duration.ofMinutes(1), Duration.ofDays(90), "sessionLength");
  }
}
