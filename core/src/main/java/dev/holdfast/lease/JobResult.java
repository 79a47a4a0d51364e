package dev.holdfast.lease;

import java.time.Duration;
import java.time.Instant;

/** What became of the wish to run an exclusive job. */
public sealed interface JobResult {
  /** It has run to its end, alone, and took this long. */
  record Ran(Duration duration) implements JobResult {}

  /**
   * Another run has not ended, here or elsewhere.
   *
   * @param who which process runs it
   * @param since when it began, by the database's clock
   */
  record Busy(String who, Instant since) implements JobResult {}

  /** The last run began less than {@code atLeast} ago; this much is missing. */
  record TooSoon(Duration remaining) implements JobResult {}
}
