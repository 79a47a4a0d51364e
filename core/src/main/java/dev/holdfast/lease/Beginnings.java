package dev.holdfast.lease;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether a runner can begin its job: a failure is logged once, with its reason, and once when it
 * is over. For the thread of the job.
 */
final class Beginnings {
  private static final Logger LOG = LoggerFactory.getLogger(ExclusiveRunner.class);

  private final ExclusiveJob job;
  private long failures;

  Beginnings(ExclusiveJob job) {
    this.job = job;
  }

  void failed(Throwable failure) {
    failures++;
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
  }
}
