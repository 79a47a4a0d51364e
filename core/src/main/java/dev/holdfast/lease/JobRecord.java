package dev.holdfast.lease;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The last run of an exclusive job: for operators, not to decide by. All times are the database's.
 *
 * @param token that of its lease
 * @param who which process ran it
 * @param ended null while it runs, and where its process died
 * @param failure why it failed or was lost; null where it did not, and where its process died
 * @param notBefore when the next run may begin
 */
public record JobRecord(
    String name,
    long token,
    String who,
    Instant started,
    @Nullable Instant ended,
    JobOutcome outcome,
    @Nullable String failure,
    Instant notBefore) {
  /** How long it took; nothing where it has not ended. */
  public Optional<Duration> duration() {
    return Optional.ofNullable(ended).map(end -> Duration.between(started, end));
  }
}
