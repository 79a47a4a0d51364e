package dev.holdfast.event;

import dev.holdfast.event.internal.Claimed;
import dev.holdfast.event.internal.Ending;
import dev.holdfast.event.internal.PutBack;
import org.jspecify.annotations.Nullable;

/**
 * What shall become of a claimed event: it ends, or is put back. One of the two is there.
 *
 * @param inDoubt whether its end may be stored already, so that being refused says nothing
 */
record Finished(
    Claimed event, @Nullable Ending ending, @Nullable PutBack putBack, boolean inDoubt) {
  Finished(Claimed event, @Nullable Ending ending, @Nullable PutBack putBack) {
    this(event, ending, putBack, false);
  }

  /** The same, of an event whose end may be stored already. */
  Finished whileInDoubt() {
    return new Finished(event, ending, putBack, true);
  }

  static Finished end(Claimed event, EventStatus status, @Nullable String error) {
    return new Finished(event, new Ending(event.id(), event.version(), status, error), null);
  }

  /** Gives back an event that was not begun, or that must not count as an attempt. */
  static Finished giveBack(Claimed event) {
    return new Finished(
        event, null, new PutBack(event.id(), event.version(), null, null, false, null));
  }

  /** What an outcome means for this event. */
  static Finished of(Claimed event, Outcome outcome, RetryPolicy policy) {
    if (outcome instanceof Outcome.Complete) {
      return end(event, EventStatus.COMPLETED, null);
    }
    if (outcome instanceof Outcome.Cancel cancel) {
      return end(event, EventStatus.CANCELLED, cancel.reason());
    }
    if (outcome instanceof Outcome.Fail fail) {
      return end(event, EventStatus.FAILED, fail.reason());
    }
    if (outcome instanceof Outcome.Snooze snooze) {
      return new Finished(
          event, null, new PutBack(event.id(), event.version(), null, snooze.delay(), false, null));
    }
    return retry(event, outcome, policy);
  }

  private static Finished retry(Claimed event, Outcome outcome, RetryPolicy policy) {
    String reason =
        outcome instanceof Outcome.RetryAt at
            ? at.reason()
            : outcome instanceof Outcome.RetryAfter after ? after.reason() : "retry";
    if (event.attempts() >= policy.mostAttempts()) {
      return end(event, EventStatus.FAILED, reason);
    }
    PutBack back =
        new PutBack(
            event.id(),
            event.version(),
            outcome instanceof Outcome.RetryAt at ? at.time() : null,
            outcome instanceof Outcome.RetryAfter after ? after.delay() : null,
            true,
            reason);
    return new Finished(event, null, back);
  }
}
