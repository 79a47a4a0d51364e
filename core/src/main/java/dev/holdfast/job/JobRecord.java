package dev.holdfast.job;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The last run of an exclusive job, for operators. Do not use it for decisions. All times are those
 * of the database.
 *
 * @param token the token of its lease
 * @param instanceName the instance that ran it
 * @param endedAt null while it runs, and if its process crashed
 * @param error why it failed or lost its lease; null if it did not, and if its process crashed
 * @param nextRunAfter when the next run may start
 */
public record JobRecord(
    String name,
    long token,
    String instanceName,
    Instant startedAt,
    @Nullable Instant endedAt,
    Status status,
    @Nullable String error,
    Instant nextRunAfter) {
  /** How a run ended, as far as is known. */
  public enum Status {
    /** The run has not ended, and still has its lease. */
    RUNNING,

    /** The run ended in time, without an exception. */
    SUCCEEDED,

    /** The action threw an exception. */
    FAILED,

    /**
     * The run lost its lease before it had ended: it took too long, its process crashed, or an
     * operator released the lease by force.
     */
    LOST
  }

  /** How long the run took; empty if it has not ended. */
  public Optional<Duration> duration() {
    return Optional.ofNullable(endedAt).map(end -> Duration.between(startedAt, end));
  }
}
