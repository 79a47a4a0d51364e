package dev.holdfast.internal.event.engine;

import dev.holdfast.event.EventStatus;
import dev.holdfast.event.Outcome;
import dev.holdfast.event.RetryPolicy;
import dev.holdfast.internal.event.store.ClaimedEvent;
import dev.holdfast.internal.event.store.CompletionUpdate;
import dev.holdfast.internal.event.store.Requeue;
import org.jspecify.annotations.Nullable;

/**
 * What shall become of a claimed event: it ends, or is put back. One of the two is there.
 *
 * @param inDoubt whether its end may be stored already, so that being refused says nothing
 */
record Completion(
    ClaimedEvent event,
    @Nullable CompletionUpdate ending,
    @Nullable Requeue putBack,
    boolean inDoubt) {
  Completion(ClaimedEvent event, @Nullable CompletionUpdate ending, @Nullable Requeue putBack) {
    this(event, ending, putBack, false);
  }

  /** The same, of an event whose end may be stored already. */
  Completion whileInDoubt() {
    return new Completion(event, ending, putBack, true);
  }

  static Completion end(ClaimedEvent event, EventStatus status, @Nullable String error) {
    return new Completion(
        event, new CompletionUpdate(event.id(), event.version(), status, error), null);
  }

  /** Gives back an event that was not begun, or that must not count as an attempt. */
  static Completion giveBack(ClaimedEvent event) {
    return new Completion(
        event, null, new Requeue(event.id(), event.version(), null, null, false, null));
  }

  /** What an outcome means for this event. */
  static Completion of(ClaimedEvent event, Outcome outcome, RetryPolicy policy) {
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
      return new Completion(
          event, null, new Requeue(event.id(), event.version(), null, snooze.delay(), false, null));
    }
    return retry(event, outcome, policy);
  }

  private static Completion retry(ClaimedEvent event, Outcome outcome, RetryPolicy policy) {
    String reason =
        outcome instanceof Outcome.RetryAt at
            ? at.reason()
            : outcome instanceof Outcome.RetryAfter after ? after.reason() : "retry";
    if (event.attempts() >= policy.maxAttempts()) {
      return end(event, EventStatus.FAILED, reason);
    }
    Requeue back =
        new Requeue(
            event.id(),
            event.version(),
            outcome instanceof Outcome.RetryAt at ? at.time() : null,
            outcome instanceof Outcome.RetryAfter after ? after.delay() : null,
            true,
            reason);
    return new Completion(event, null, back);
  }
}
