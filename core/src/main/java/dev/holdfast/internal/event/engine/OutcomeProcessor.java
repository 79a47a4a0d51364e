package dev.holdfast.internal.event.engine;

import dev.holdfast.event.EventHandler;
import dev.holdfast.event.EventStatus;
import dev.holdfast.event.Outcome;
import dev.holdfast.event.RetryPolicy;
import dev.holdfast.event.Worker;
import dev.holdfast.internal.Require;
import dev.holdfast.internal.event.FailureText;
import dev.holdfast.internal.event.store.ClaimedEvent;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What becomes of events after their handlers, and of those that never get to one. Thread-safe. */
final class OutcomeProcessor {
  private static final Logger LOG = LoggerFactory.getLogger(Worker.class);

  private final EventBackend home;
  private final BatchCompleter completer;

  OutcomeProcessor(EventBackend home, BatchCompleter completer) {
    this.home = home;
    this.completer = completer;
  }

  /** Parks an event whose payload cannot be read: in the history, to be mended and replayed. */
  <P> Optional<P> read(ClaimedEvent event, EventHandler<P> spec) {
    try {
      return Optional.of(home.decode(spec.type(), event.payload()));
    } catch (RuntimeException | LinkageError e) {
      completer.add(
          Completion.end(
              event, EventStatus.FAILED, "its payload cannot be read: " + FailureText.of(e)));
      return Optional.empty();
    }
  }

  void store(List<Completion> finished, EventHandler<?> spec) {
    if (spec.completesImmediately()) {
      try {
        completer.store(finished, false);
        finished.forEach(completer::forgotten);
        return;
      } catch (RuntimeException e) {
        LOG.warn(
            "event-completion-failed: could not store the outcome of {} events at once; retrying in"
                + " the background: {}",
            finished.size(),
            HealthIssues.text(e));
        finished.forEach(one -> completer.add(one.whileInDoubt()));
        return;
      }
    }
    finished.forEach(completer::add);
  }

  /** What the outcome of a handler means for its event. */
  static Completion finished(
      HandlerExecution context, EventHandler<?> spec, @Nullable Outcome outcome) {
    return Completion.of(
        context.event,
        Require.notNull(outcome, "the outcome of the handler of '" + spec.type() + "'"),
        spec.retryPolicy());
  }

  /** What a handler has done outside of our transaction is done, however late. */
  static void sayIfLate(HandlerExecution context) {
    if (context.stopReason() == HandlerExecution.Stop.TIMEOUT) {
      LOG.warn(
          "event-handler-slow: handler of event {} ({}) exceeded its timeout of {}; its outcome was"
              + " accepted",
          context.id(),
          context.type(),
          context.spec.timeout());
    }
  }

  static void refused(HandlerExecution context, boolean interrupted) {
    LOG.warn(
        "event-handler-late: handler of event {} returned after its event was abandoned; outcome"
            + " rejected{}",
        context.id(),
        interrupted ? "" : ", the handler never noticed its interrupt");
  }

  static Completion failed(HandlerExecution context, EventHandler<?> spec, Throwable failure) {
    HandlerExecution.Stop stop = context.stopReason();
    if (stop == HandlerExecution.Stop.CANCEL_REQUESTED) {
      return Completion.end(
          context.event, EventStatus.CANCELLED, "cancelled while it was being handled");
    }
    if (stop == HandlerExecution.Stop.WORKER_STOPS || stop == HandlerExecution.Stop.LEASE_LOST) {
      return Completion.giveBack(context.event);
    }
    Throwable cause =
        stop == HandlerExecution.Stop.TIMEOUT
            ? new TimeoutException("the handler took longer than " + spec.timeout())
            : failure;
    Completion finished = byPolicy(context.event, spec, cause);
    try {
      tell(context, finished, cause, failure);
    } catch (RuntimeException | Error ofTheUsersException) {
      LOG.warn(
          "event-handler-failed: handler of event {} threw an exception that could not be"
              + " formatted; retried by its policy",
          context.id());
    }
    return finished;
  }

  private static void tell(
      HandlerExecution context, Completion finished, Throwable cause, Throwable failure) {
    String key = context.event.key();
    String what = context.type() + (key == null ? "" : " '" + key + "'");
    if (finished.ending() != null && finished.ending().status() == EventStatus.CANCELLED) {
      LOG.info(
          "event-cancelled: event {} ({}) cancelled: {}",
          context.id(),
          what,
          FailureText.of(cause));
    } else if (finished.ending() != null) {
      LOG.warn(
          "event-failed: event {} ({}) failed permanently at attempt {}: {}",
          context.id(),
          what,
          context.attempt(),
          FailureText.of(cause),
          failure);
    } else {
      LOG.info(
          "event-retry: event {} ({}) failed at attempt {}; retrying: {}",
          context.id(),
          what,
          context.attempt(),
          FailureText.of(cause));
      LOG.debug("the handler of event {} failed", context.id(), failure);
    }
  }

  static Completion byPolicy(ClaimedEvent event, EventHandler<?> spec, Throwable cause) {
    RetryPolicy policy = spec.retryPolicy();
    try {
      return Completion.of(event, spec.outcomeOf(cause, event.attempts()), policy);
    } catch (RuntimeException | Error ofTheUsersRule) {
      return Completion.of(event, policy.outcomeOf(ofTheUsersRule, event.attempts()), policy);
    }
  }
}
