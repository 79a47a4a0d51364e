package dev.holdfast.event;

import dev.holdfast.event.internal.Claimed;
import dev.holdfast.internal.Require;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What becomes of events after their handlers, and of those that never get to one. Thread-safe. */
final class Aftermath {
  private static final Logger LOG = LoggerFactory.getLogger(Worker.class);

  private final EventHome home;
  private final Completer completer;

  Aftermath(EventHome home, Completer completer) {
    this.home = home;
    this.completer = completer;
  }

  /** Parks an event whose payload cannot be read: in the history, to be mended and replayed. */
  <P> Optional<P> read(Claimed event, HandlerSpec<P> spec) {
    try {
      return Optional.of(spec.type().read(event.payload(), home.codec()));
    } catch (RuntimeException | LinkageError e) {
      completer.add(
          Finished.end(
              event, EventStatus.FAILED, "its payload cannot be read: " + RetryPolicy.text(e)));
      return Optional.empty();
    }
  }

  void store(List<Finished> finished, HandlerSpec<?> spec) {
    if (spec.options().immediate()) {
      try {
        completer.store(finished, false);
        finished.forEach(completer::forgotten);
        return;
      } catch (RuntimeException e) {
        LOG.warn(
            "an event could not be completed at once, going on in the background: {}",
            Troubles.text(e));
        finished.forEach(one -> completer.add(one.whileInDoubt()));
        return;
      }
    }
    finished.forEach(completer::add);
  }

  /** What the outcome of a handler means for its event. */
  static Finished finished(Running context, HandlerSpec<?> spec, @Nullable Outcome outcome) {
    return Finished.of(
        context.event,
        Require.notNull(outcome, "the outcome of the handler of '" + spec.type() + "'"),
        spec.options().retries());
  }

  /** What a handler has done outside of our transaction is done, however late. */
  static void sayIfLate(Running context) {
    if (context.stopReason() == Running.Stop.TIMEOUT) {
      LOG.warn(
          "the handler of {} ({}) took longer than {} and returned all the same; its outcome"
              + " counts",
          context.id(),
          context.type(),
          context.spec.timeout());
    }
  }

  static void refused(Running context, boolean interrupted) {
    LOG.warn(
        "the handler of {} came to an end after its event was taken away from it; its result is"
            + " refused{}",
        context.id(),
        interrupted ? "" : " and it never noticed its interrupt");
  }

  static Finished failed(Running context, HandlerSpec<?> spec, Throwable failure) {
    Running.Stop stop = context.stopReason();
    if (stop == Running.Stop.CANCEL_REQUESTED) {
      return Finished.end(
          context.event, EventStatus.CANCELLED, "cancelled while it was being handled");
    }
    if (stop == Running.Stop.WORKER_STOPS || stop == Running.Stop.LEASE_LOST) {
      return Finished.giveBack(context.event);
    }
    Throwable cause =
        stop == Running.Stop.TIMEOUT
            ? new TimeoutException("the handler took longer than " + spec.timeout())
            : failure;
    Finished finished = byPolicy(context.event, spec, cause);
    try {
      tell(context, finished, cause, failure);
    } catch (RuntimeException | Error ofTheUsersException) {
      LOG.warn("the handler of {} failed with what cannot be told", context.id());
    }
    return finished;
  }

  private static void tell(Running context, Finished finished, Throwable cause, Throwable failure) {
    String key = context.event.key();
    String what = context.type() + (key == null ? "" : " '" + key + "'");
    if (finished.ending() != null && finished.ending().status() == EventStatus.CANCELLED) {
      LOG.info("the event {} ({}) is cancelled: {}", context.id(), what, RetryPolicy.text(cause));
    } else if (finished.ending() != null) {
      LOG.warn(
          "the event {} ({}) has failed for good at attempt {}: {}",
          context.id(),
          what,
          context.attempt(),
          RetryPolicy.text(cause),
          failure);
    } else {
      LOG.info(
          "the event {} ({}) has failed at attempt {} and is tried again: {}",
          context.id(),
          what,
          context.attempt(),
          RetryPolicy.text(cause));
      LOG.debug("the handler of {} failed", context.id(), failure);
    }
  }

  static Finished byPolicy(Claimed event, HandlerSpec<?> spec, Throwable cause) {
    RetryPolicy policy = spec.options().retries();
    try {
      return Finished.of(event, spec.options().after(cause, event.attempts()), policy);
    } catch (RuntimeException | Error ofTheUsersRule) {
      return Finished.of(event, policy.after(ofTheUsersRule, event.attempts()), policy);
    }
  }
}
