package dev.holdfast.event;

import dev.holdfast.internal.Require;
import dev.holdfast.internal.event.EventArguments;
import java.time.Duration;
import java.time.Instant;

/** What a handler decides about an event that it has handled. */
public sealed interface Outcome {
  /** The event is completed. */
  static Outcome complete() {
    return Complete.COMPLETE;
  }

  /** Retries at this time; counts as an attempt, of which a type has a limited number. */
  static Outcome retryAt(Instant time, String reason) {
    return new RetryAt(time, reason);
  }

  /** Retries after this time; counts as an attempt, of which a type has a limited number. */
  static Outcome retryAfter(Duration delay, String reason) {
    return new RetryAfter(delay, reason);
  }

  /** Runs again after this time; no attempt is counted. */
  static Outcome snooze(Duration delay) {
    return new Snooze(delay);
  }

  /** Cancels the event: it is not needed any more. */
  static Outcome cancel(String reason) {
    return new Cancel(reason);
  }

  /** Fails the event permanently, without further retries. */
  static Outcome fail(String reason) {
    return new Fail(reason);
  }

  /** See {@link #complete()}. */
  record Complete() implements Outcome {
    private static final Complete COMPLETE = new Complete();
  }

  /** See {@link #retryAt}. */
  record RetryAt(Instant time, String reason) implements Outcome {
    public RetryAt {
      EventArguments.requireTime(time, "the time of a retry");
      Require.notNull(reason, "the reason of a retry");
    }
  }

  /** See {@link #retryAfter}. */
  record RetryAfter(Duration delay, String reason) implements Outcome {
    public RetryAfter {
      Require.between(delay, Duration.ZERO, Duration.ofDays(36_525), "the delay of a retry");
      Require.notNull(reason, "the reason of a retry");
    }
  }

  /** See {@link #snooze}. */
  record Snooze(Duration delay) implements Outcome {
    public Snooze {
      Require.between(delay, Duration.ofMillis(1), Duration.ofDays(36_525), "the time of a snooze");
    }
  }

  /** See {@link #cancel}. */
  record Cancel(String reason) implements Outcome {
    public Cancel {
      Require.notNull(reason, "the reason of a cancellation");
    }
  }

  /** See {@link #fail}. */
  record Fail(String reason) implements Outcome {
    public Fail {
      Require.notNull(reason, "the reason of a failure");
    }
  }
}
