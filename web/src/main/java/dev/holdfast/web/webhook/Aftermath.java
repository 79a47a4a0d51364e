package dev.holdfast.web.webhook;

import dev.holdfast.event.Outcome;
import dev.holdfast.web.webhook.WebhookTask.Retry;
import dev.holdfast.webhook.Attempt;
import dev.holdfast.webhook.Verdict;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.ThreadLocalRandom;

/**
 * What follows from an attempt: what becomes of the event, and what is kept.
 *
 * <p>2xx is done. An answer of 410, an address that the guard refuses and a call outside the limits
 * end it as failed: the next attempt would not fare better. Everything else, redirects included, is
 * tried again until the attempts are used up.
 */
record Aftermath(Outcome outcome, NewAttempt attempt) {

  static Aftermath of(Underway underway, Attempt attempt) {
    Verdict verdict = attempt.verdict();
    if (verdict instanceof Verdict.Success) {
      return of(underway, attempt, Outcome.complete(), AttemptOutcome.DONE);
    }
    String error = attempt.error().orElse("it failed");
    Retry retry = underway.task().retry() == null ? Retry.STANDARD : underway.task().retry();
    int number = underway.context().attempt();
    if (verdict instanceof Verdict.Retry again && !Retries.isLast(retry, number)) {
      double random = ThreadLocalRandom.current().nextDouble();
      Duration delay = Retries.after(retry, number, again.after(), random);
      return of(underway, attempt, Outcome.retryAfter(delay, error), AttemptOutcome.RETRY);
    }
    return of(underway, attempt, Outcome.fail(error), AttemptOutcome.FAILED);
  }

  private static Aftermath of(
      Underway underway, Attempt attempt, Outcome outcome, AttemptOutcome kept) {
    return new Aftermath(
        outcome,
        new NewAttempt(
            underway.context().id(),
            underway.context().version(),
            underway.context().attempt(),
            underway.startedNanos(),
            attempt.duration(),
            attempt.status(),
            kept,
            attempt.error(),
            attempt.excerpt(),
            attempt.address()));
  }

  /** Nobody looks at this outcome: whoever has cancelled it knows what becomes of the event. */
  static Aftermath ofCancelled(Underway underway) {
    return new Aftermath(
        Outcome.snooze(Duration.ofSeconds(1)),
        new NewAttempt(
            underway.context().id(),
            underway.context().version(),
            underway.context().attempt(),
            underway.startedNanos(),
            Duration.ofNanos(System.nanoTime() - underway.startedNanos()),
            OptionalInt.empty(),
            AttemptOutcome.CANCELLED,
            Optional.of("stopped while it was under way; the target may have got it"),
            "",
            Optional.empty()));
  }
}
