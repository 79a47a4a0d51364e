package dev.holdfast.job;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** What {@link Job#run} returned. */
public sealed interface JobRunResult {
  /** The action ran to its end, and took this long. */
  record Executed(Duration duration) implements JobRunResult {}

  /**
   * Another run has not ended, on this instance or another one.
   *
   * @param instanceName the instance that runs it; empty if it is not known
   * @param startedAt when it started, by the clock of the database
   */
  record AlreadyRunning(Optional<String> instanceName, Instant startedAt) implements JobRunResult {}

  /** The last run started less than the minimum interval ago; this time is left. */
  record TooSoon(Duration remaining) implements JobRunResult {}
}
