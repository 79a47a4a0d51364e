package dev.holdfast.internal.job;

import dev.holdfast.Health.Issue;
import dev.holdfast.job.Jobs;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether a runner can start its job: a failure is logged once, with its reason, and once when it
 * is over. Changed by the thread of the job, read by any.
 */
final class JobStartMonitor {
  private static final Logger LOG = LoggerFactory.getLogger(Jobs.class);

  private final DefaultJob job;
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

  JobStartMonitor(DefaultJob job) {
    this.job = job;
  }

  void failed(Throwable failure) {
    failures++;
    notBegun = Failure.of(job + " could not start: " + failure, notBegun);
    if (failures == 1) {
      LOG.warn(
          "job-start-failed: {} could not start; retrying silently until it can: {}",
          job,
          failure.toString());
    }
    LOG.debug("{} could not start {} times in a row", job, failures, failure);
  }

  void worked() {
    if (failures > 0) {
      // the same level as the failure, so that both are seen
      LOG.warn("job-start-recovered: {} can start again after {} failures", job, failures);
    }
    failures = 0;
    notBegun = null;
  }

  /** A run started and failed. */
  void runFailed(Throwable failure) {
    failed = Failure.of("the last run of " + job + " failed: " + failure, failed);
  }

  /** A run started and succeeded. */
  void runSucceeded() {
    failed = null;
  }

  List<Issue> issues() {
    Failure beginning = notBegun;
    Failure run = failed;
    List<Issue> issues = new ArrayList<>();
    if (beginning != null) {
      issues.add(beginning.issue("job-start-failed"));
    }
    if (run != null) {
      issues.add(run.issue("job-failed"));
    }
    return issues;
  }
}
