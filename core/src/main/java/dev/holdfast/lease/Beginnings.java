package dev.holdfast.lease;

import dev.holdfast.Health.Issue;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether a runner can begin its job: a failure is logged once, with its reason, and once when it
 * is over. Changed by the thread of the job, read by any.
 */
final class Beginnings {
  private static final Logger LOG = LoggerFactory.getLogger(ExclusiveRunner.class);

  private final ExclusiveJob job;
  private long failures;
  private volatile @Nullable Failure notBegun;
  private volatile @Nullable Failure failed;

  /** What does not work at present, and since when. */
  private record Failure(String message, long sinceNanos) {
    static Failure of(String message, @Nullable Failure before) {
      return new Failure(message, before == null ? System.nanoTime() : before.sinceNanos);
    }

    Issue issue(String code) {
      return new Issue(code, message, Duration.ofNanos(System.nanoTime() - sinceNanos));
    }
  }

  Beginnings(ExclusiveJob job) {
    this.job = job;
  }

  void failed(Throwable failure) {
    failures++;
    notBegun = Failure.of(job + " could not begin: " + failure, notBegun);
    if (failures == 1) {
      LOG.warn(
          "{} could not begin, and is tried again, quietly, until it can: {}",
          job,
          failure.toString());
    }
    LOG.debug("{} could not begin, for the {}. time", job, failures, failure);
  }

  void worked() {
    if (failures > 0) {
      // not less than the failure: who has seen that wants to see this
      LOG.warn("{} can begin again, after {} failures", job, failures);
    }
    failures = 0;
    notBegun = null;
  }

  /** A run has begun and failed. */
  void runFailed(Throwable failure) {
    failed = Failure.of("the last run of " + job + " failed: " + failure, failed);
  }

  /** A run has begun and succeeded. */
  void runSucceeded() {
    failed = null;
  }

  List<Issue> issues() {
    Failure beginning = notBegun;
    Failure run = failed;
    List<Issue> issues = new ArrayList<>();
    if (beginning != null) {
      issues.add(beginning.issue("job-not-started"));
    }
    if (run != null) {
      issues.add(run.issue("job-failed"));
    }
    return issues;
  }
}
