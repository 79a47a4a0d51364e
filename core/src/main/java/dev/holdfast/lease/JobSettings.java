package dev.holdfast.lease;

import dev.holdfast.internal.Require;
import java.time.Duration;

/** What an exclusive job is called, and how long a run keeps others away; refuses what is wrong. */
record JobSettings(LeaseKey key, Duration atMost, Duration atLeast) {
  private static final Duration LEAST_INTERVAL = Duration.ofMillis(200);
  private static final Duration LONGEST_INTERVAL = Duration.ofDays(365);

  static JobSettings of(String name, Duration atMost, Duration atLeast) {
    LeaseKey key = key(name);
    Require.notNull(atMost, "atMost");
    Require.notNull(atLeast, "atLeast");
    Require.that(
        atMost.compareTo(Leases.SHORTEST) >= 0 && atMost.compareTo(Leases.LONGEST) <= 0,
        () ->
            "atMost must be from %s to %s, was %s (job %s); write a time that no run ever takes, as"
                    .formatted(Leases.SHORTEST, Leases.LONGEST, atMost, key)
                + " a run that takes longer is interrupted, and may meet the next one");
    Require.that(
        atLeast.compareTo(Leases.SHORTEST) >= 0,
        () ->
            "atLeast must be at least %s, was %s (job %s); write a time longer than the clocks of"
                    .formatted(Leases.SHORTEST, atLeast, key)
                + " your instances differ, such as half of the interval: without it, a short run is"
                + " repeated by the instance whose clock is late. Where only the overlap matters,"
                + " use leases().tryAcquire");
    // longer than atMost is well, too: it is kept by the row of the job, not by its lease
    Require.that(
        atLeast.compareTo(LONGEST_INTERVAL) <= 0,
        () ->
            "atLeast must be at most %s, was %s (job %s); write a time shorter than the interval,"
                    .formatted(LONGEST_INTERVAL, atLeast, key)
                + " such as half of it");
    return new JobSettings(key, atMost, atLeast);
  }

  static LeaseKey key(String name) {
    Require.notBlank(name, "the name of a job");
    Require.that(
        name.length() <= ExclusiveJobs.LONGEST_NAME,
        () ->
            "the name of a job must have at most %d characters, had %d"
                .formatted(ExclusiveJobs.LONGEST_NAME, name.length()));
    return LeaseKey.exclusive(name);
  }

  /** Apart from the leases of the user, who may well use the same name inside the job. */
  LeaseTarget lease() {
    return LeaseTarget.exclusive("job/" + key.name());
  }

  /** Refuses an interval at which some runs would be left out. */
  void requireInterval(Duration interval) {
    Require.notNull(interval, "interval");
    Require.that(
        interval.compareTo(LEAST_INTERVAL) >= 0 && interval.compareTo(LONGEST_INTERVAL) <= 0,
        () ->
            "the interval must be from %s to %s, was %s (job %s); what happens more often is for a"
                    .formatted(LEAST_INTERVAL, LONGEST_INTERVAL, interval, key)
                + " worker of events");
    Require.that(
        atLeast.compareTo(interval) < 0,
        () ->
            "atLeast must be shorter than the interval, was %s, with the interval %s (job %s): each"
                    .formatted(atLeast, interval, key)
                + " run would find the name taken by the one before it, and every other run be left"
                + " out; write an atLeast of "
                + interval.dividedBy(2));
  }
}
