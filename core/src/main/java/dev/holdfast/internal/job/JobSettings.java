package dev.holdfast.internal.job;

import dev.holdfast.internal.Require;
import dev.holdfast.job.Job;
import dev.holdfast.job.Jobs;
import dev.holdfast.lease.LeaseKey;
import dev.holdfast.lease.LeaseRequest;
import dev.holdfast.lease.Leases;
import java.time.Duration;

/** The name and the times of an exclusive job; rejects times that do not fit. */
record JobSettings(LeaseKey key, Duration maxDuration, Duration minInterval) {
  private static final Duration MIN_INTERVAL = Duration.ofMillis(200);
  private static final Duration MAX_INTERVAL = Duration.ofDays(365);

  static JobSettings of(Job job) {
    Require.that(
        Require.notNull(job, "job") instanceof DefaultJob,
        () -> "a runner must have jobs of Jobs.job, had " + job);
    return ((DefaultJob) job).settings();
  }

  static JobSettings of(String name, Duration maxDuration, Duration minInterval) {
    LeaseKey key = key(name);
    Require.notNull(maxDuration, "maxDuration");
    Require.notNull(minInterval, "minInterval");
    Require.that(
        maxDuration.compareTo(Leases.MIN_DURATION) >= 0
            && maxDuration.compareTo(Leases.MAX_DURATION) <= 0,
        () ->
            "The maxDuration of the job %s must be from %s to %s, was %s."
                    .formatted(key, Leases.MIN_DURATION, Leases.MAX_DURATION, maxDuration)
                + " Set a time longer than the longest run: a longer run is interrupted and may"
                + " overlap with the next one.");
    Require.that(
        minInterval.compareTo(Leases.MIN_DURATION) >= 0,
        () ->
            "The minInterval of the job %s must be at least %s, was %s."
                    .formatted(key, Leases.MIN_DURATION, minInterval)
                + " Set a time longer than the clocks of your instances differ, such as half of the"
                + " interval. Without it, the instance with the late clock repeats a short run. If"
                + " only overlaps matter, use leases().tryAcquire.");
    // it may be longer than maxDuration: the row of the job keeps it, not the lease
    Require.that(
        minInterval.compareTo(MAX_INTERVAL) <= 0,
        () ->
            "The minInterval of the job %s must be at most %s, was %s."
                    .formatted(key, MAX_INTERVAL, minInterval)
                + " Set a time shorter than the interval, such as half of it.");
    return new JobSettings(key, maxDuration, minInterval);
  }

  static LeaseKey key(String name) {
    Require.notBlank(name, "the name of a job");
    Require.that(
        name.length() <= Jobs.MAX_NAME_LENGTH,
        () ->
            "the name of a job must have at most %d characters, had %d"
                .formatted(Jobs.MAX_NAME_LENGTH, name.length()));
    return LeaseKey.exclusive(name);
  }

  /** With a prefix, because the action may use a lease with the name of the job. */
  LeaseRequest lease() {
    return LeaseRequest.of("job/" + key.name(), maxDuration);
  }

  /** Rejects an interval at which some runs would be skipped. */
  void requireInterval(Duration interval) {
    Require.notNull(interval, "interval");
    Require.that(
        interval.compareTo(MIN_INTERVAL) >= 0 && interval.compareTo(MAX_INTERVAL) <= 0,
        () ->
            "The interval of the job %s must be from %s to %s, was %s."
                    .formatted(key, MIN_INTERVAL, MAX_INTERVAL, interval)
                + " For shorter intervals use events and a worker.");
    Require.that(
        minInterval.compareTo(interval) < 0,
        () ->
            "The minInterval of the job %s must be shorter than its interval of %s, was %s."
                    .formatted(key, interval, minInterval)
                + " Every other run would be skipped. Set minInterval to "
                + interval.dividedBy(2)
                + ".");
  }
}
