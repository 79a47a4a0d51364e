package dev.holdfast.job;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether a runner can start its job: a failure is logged once, with its reason, and once when it
 * is over. For the thread of the job.
 */
final class JobStartMonitor {
  private static final Logger LOG = LoggerFactory.getLogger(JobRunner.class);

  private final DefaultJob job;
  private long failures;

  JobStartMonitor(DefaultJob job) {
    this.job = job;
  }

  void failed(Throwable failure) {
    failures++;
    if (failures == 1) {
      LOG.warn(
          "job-start-failed: {} could not start; retrying silently until it can: {}",
          job,
          failure.toString());
    }
    LOG.debug("{} could not start, for the {}. time", job, failures, failure);
  }

  void worked() {
    if (failures > 0) {
      // the same level as the failure, so that both are seen
      LOG.warn("job-start-recovered: {} can start again after {} failures", job, failures);
    }
    failures = 0;
  }
}
