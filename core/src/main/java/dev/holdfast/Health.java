package dev.holdfast;

import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * The state of a {@link BackgroundService} at one moment. Immutable.
 *
 * @param issues what does not work at present; an issue is gone as soon as it works again
 * @param details facts to show, such as the name of an instance
 */
public record Health(Status status, List<Issue> issues, Map<String, String> details) {

  /** How well a service works, from best to worst. */
  public enum Status {
    /** It runs, and has no issues. */
    UP,
    /** It runs and goes on trying, but something does not work: see the issues. */
    DEGRADED,
    /** It runs, but cannot work at all, such as a worker without its lease. */
    DOWN,
    /** It was not started, or has been stopped. */
    STOPPED;

    Status worse(Status other) {
      return compareTo(other) >= 0 ? this : other;
    }
  }

  /**
   * Something that does not work at present.
   *
   * @param code a stable name for programs, in kebab-case, such as {@code worker-lease-not-held}
   * @param message what does not work and why, for people
   * @param age how long it has not worked
   */
  public record Issue(String code, String message, Duration age) {
    public Issue {
      Objects.requireNonNull(code, "code");
      Objects.requireNonNull(message, "message");
      Objects.requireNonNull(age, "age");
    }
  }

  public Health {
    Objects.requireNonNull(status, "status");
    issues = List.copyOf(Objects.requireNonNull(issues, "issues"));
    details =
        Collections.unmodifiableMap(
            new LinkedHashMap<>(Objects.requireNonNull(details, "details")));
  }

  /** Of a service that runs: up without issues, degraded with issues. */
  public static Health running(List<Issue> issues, Map<String, String> details) {
    return new Health(issues.isEmpty() ? Status.UP : Status.DEGRADED, issues, details);
  }

  /** Of a service that does not run. */
  public static Health stopped() {
    return new Health(Status.STOPPED, List.of(), Map.of());
  }

  /** Whether the service works, perhaps with issues: it is up or degraded. */
  public boolean isWorking() {
    return status == Status.UP || status == Status.DEGRADED;
  }
}
