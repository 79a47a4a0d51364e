package dev.holdfast.job;

import dev.holdfast.internal.Require;
import dev.holdfast.lease.LeaseKey;
import dev.holdfast.lease.LeaseRequest;
import dev.holdfast.lease.Leases;
import java.time.Duration;

/** The name and the times of an exclusive job; rejects times that do not fit. */
record JobSettings(LeaseKey key, Duration maxDuration, Duration minInterval) {
  private static final Duration MIN_INTERVAL = Duration.ofMillis(200);
  private static final Duration MAX_INTERVAL = Duration.ofDays(365);

  static JobSettings of(Job job) {
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
            "maxDuration must be from %s to %s, was %s (job %s); write a time that no run ever takes, as"
                    .formatted(Leases.MIN_DURATION, Leases.MAX_DURATION, maxDuration, key)
                + " a run that takes longer is interrupted, and may meet the next one");
    Require.that(
        minInterval.compareTo(Leases.MIN_DURATION) >= 0,
        () ->
            "minInterval must be at least %s, was %s (job %s); write a time longer than the clocks of"
                    .formatted(Leases.MIN_DURATION, minInterval, key)
                + " your instances differ, such as half of the interval: without it, a short run is"
                + " repeated by the instance whose clock is late. Where only the overlap matters,"
                + " use leases().tryAcquire");
    // longer than maxDuration is well, too: it is kept by the row of the job, not by its lease
    Require.that(
        minInterval.compareTo(MAX_INTERVAL) <= 0,
        () ->
            "minInterval must be at most %s, was %s (job %s); write a time shorter than the interval,"
                    .formatted(MAX_INTERVAL, minInterval, key)
                + " such as half of it");
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
            "the interval must be from %s to %s, was %s (job %s); what happens more often is for a"
                    .formatted(MIN_INTERVAL, MAX_INTERVAL, interval, key)
                + " worker of events");
    Require.that(
        minInterval.compareTo(interval) < 0,
        () ->
            "minInterval must be shorter than the interval, was %s, with the interval %s (job %s): each"
                    .formatted(minInterval, interval, key)
                + " run would find the name taken by the one before it, and every other run be left"
                + " out; set minInterval to "
                + interval.dividedBy(2));
  }
}
