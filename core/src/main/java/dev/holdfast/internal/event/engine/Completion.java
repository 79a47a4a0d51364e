package dev.holdfast.internal.event.engine;

import dev.holdfast.event.EventHandler;
import dev.holdfast.event.EventStatus;
import dev.holdfast.event.Outcome;
import dev.holdfast.event.RetryPolicy;
import dev.holdfast.internal.event.store.ClaimedEvent;
import dev.holdfast.internal.event.store.CompletionUpdate;
import dev.holdfast.internal.event.store.Requeue;
import org.jspecify.annotations.Nullable;

/**
 * How a claimed event is completed: it ends, or it is requeued. One of the two is set.
 *
 * @param isInDoubt whether it may be stored already, so that a rejection means nothing
 */
record Completion(
    ClaimedEvent event,
    @Nullable CompletionUpdate update,
    @Nullable Requeue requeue,
    boolean isInDoubt) {
  private static Completion of(ClaimedEvent event, Requeue requeue) {
    return new Completion(event, null, requeue, false);
  }

  /** The same, of an event whose completion may be stored already. */
  Completion inDoubt() {
    return new Completion(event, update, requeue, true);
  }

  static Completion end(ClaimedEvent event, EventStatus status, @Nullable String error) {
    return new Completion(
        event, new CompletionUpdate(event.id(), event.version(), status, error), null, false);
  }

  /** Requeues an event that was not started, or that must not count as an attempt. */
  static Completion requeue(ClaimedEvent event) {
    return of(event, new Requeue(event.id(), event.version(), null, null, false, null));
  }

  /** What a failure of its handler means for this event. */
  static Completion ofFailure(ClaimedEvent event, EventHandler<?> handler, Throwable cause) {
    RetryPolicy policy = handler.retryPolicy();
    try {
      return of(event, handler.outcomeOf(cause, event.attempts()), policy);
    } catch (RuntimeException | Error ofTheUsersMapping) {
      return of(event, policy.outcomeOf(ofTheUsersMapping, event.attempts()), policy);
    }
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
      return of(event, new Requeue(event.id(), event.version(), null, snooze.delay(), false, null));
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
    return of(
        event,
        new Requeue(
            event.id(),
            event.version(),
            outcome instanceof Outcome.RetryAt at ? at.time() : null,
            outcome instanceof Outcome.RetryAfter after ? after.delay() : null,
            true,
            reason));
  }
}
