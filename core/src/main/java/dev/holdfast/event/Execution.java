package dev.holdfast.event;

import dev.holdfast.event.internal.Claimed;
import dev.holdfast.event.internal.Ending;
import dev.holdfast.internal.Require;
import dev.holdfast.sql.CommitUnknownException;
import dev.holdfast.sql.Transaction;
import dev.holdfast.sql.internal.SqlText;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs handlers, and says what shall become of their events. Thread-safe. */
final class Execution {
  private static final Logger LOG = LoggerFactory.getLogger(Worker.class);

  private final EventHome home;
  private final WorkerSettings settings;
  private final InstanceLease lease;
  private final Completer completer;
  private final Beginning beginning;
  private final Set<Running> running = ConcurrentHashMap.newKeySet();

  Execution(EventHome home, WorkerSettings settings, InstanceLease lease, Completer completer) {
    this.home = home;
    this.settings = settings;
    this.lease = lease;
    this.completer = completer;
    this.beginning = new Beginning(home, settings.mostCrashes(), completer);
  }

  /** What is running now. */
  Set<Running> running() {
    return running;
  }

  /**
   * Handles an event that {@code owner} has claimed, from its payload to its end.
   *
   * @return whether the thread may go on: false where the event was taken away from it meanwhile
   */
  boolean handle(Claimed event, long owner) {
    HandlerSpec<?> spec = Require.notNull(settings.handlers().get(event.type()), event.type());
    if (spec.batch() != null) {
      return handleBatch(List.of(event), owner);
    }
    return !beginning.of(event, spec) || handle(event, owner, spec);
  }

  private <P> boolean handle(Claimed event, long owner, HandlerSpec<P> spec) {
    Optional<P> read = read(event, spec);
    if (read.isEmpty()) {
      return true;
    }
    P payload = read.get();
    Running context = new Running(event, spec, owner, lease);
    running.add(context);
    @Nullable Finished finished;
    try {
      finished =
          spec.transactional() == null
              ? call(context, spec, payload)
              : callInTransaction(context, spec, payload);
    } finally {
      running.remove(context);
    }
    boolean decided = context.decide();
    // the interrupt was for the handler, not for the next one
    boolean interrupted = Thread.interrupted();
    if (!decided) {
      refused(context, interrupted);
      return false;
    }
    if (finished != null) {
      store(List.of(finished), spec);
    }
    return true;
  }

  /** What a handler has done outside of our transaction is done, however late. */
  private static void sayIfLate(Running context) {
    if (context.stopReason() == Running.Stop.TIMEOUT) {
      LOG.warn(
          "the handler of {} ({}) took longer than {} and returned all the same; its outcome counts",
          context.id(),
          context.type(),
          context.spec.timeout());
    }
  }

  private static void refused(Running context, boolean interrupted) {
    LOG.warn(
        "the handler of {} came to an end after its event was taken away from it; its result is"
            + " refused{}",
        context.id(),
        interrupted ? "" : " and it never noticed its interrupt");
  }

  /** Parks an event whose payload cannot be read: in the history, to be mended and replayed. */
  private <P> Optional<P> read(Claimed event, HandlerSpec<P> spec) {
    try {
      return Optional.of(spec.type().read(event.payload(), home.codec()));
    } catch (RuntimeException | LinkageError e) {
      completer.add(
          Finished.end(
              event, EventStatus.FAILED, "its payload cannot be read: " + RetryPolicy.text(e)));
      return Optional.empty();
    }
  }

  private void store(List<Finished> finished, HandlerSpec<?> spec) {
    if (spec.options().completion() == HandlerOptions.Completion.IMMEDIATE) {
      try {
        completer.store(finished, false);
        finished.forEach(completer::forgotten);
        return;
      } catch (RuntimeException e) {
        LOG.warn(
            "an event could not be completed at once, going on in the background: {}",
            e.toString());
        finished.forEach(one -> completer.add(one.whileInDoubt()));
        return;
      }
    }
    finished.forEach(completer::add);
  }

  /**
   * Handles events of one type that {@code owner} has claimed in one call.
   *
   * @return whether the thread may go on: false where it was given up meanwhile
   */
  boolean handleBatch(List<Claimed> events, long owner) {
    String type = events.get(0).type();
    return handleBatch(events, owner, Require.notNull(settings.handlers().get(type), type));
  }

  private <P> boolean handleBatch(List<Claimed> events, long owner, HandlerSpec<P> spec) {
    List<BatchItem<P>> items = new ArrayList<>(events.size());
    List<Running> contexts = new ArrayList<>(events.size());
    for (Claimed event : events) {
      Optional<P> payload = beginning.of(event, spec) ? read(event, spec) : Optional.empty();
      if (payload.isPresent()) {
        Running leader = contexts.isEmpty() ? null : contexts.get(0);
        Running context = new Running(event, spec, owner, lease, leader);
        contexts.add(context);
        items.add(new BatchItem<>(payload.get(), context));
      }
    }
    if (items.isEmpty()) {
      return true;
    }
    running.addAll(contexts);
    List<Finished> finished;
    try {
      finished = call(contexts, items, spec);
    } finally {
      contexts.forEach(running::remove);
    }
    List<Finished> decided = new ArrayList<>(finished.size());
    for (int i = 0; i < contexts.size(); i++) {
      if (contexts.get(i).decide()) {
        decided.add(finished.get(i));
      }
    }
    // the interrupt was for the handler, not for the next one
    boolean interrupted = Thread.interrupted();
    if (decided.size() < contexts.size()) {
      refused(contexts.get(0), interrupted);
    }
    if (!decided.isEmpty()) {
      store(decided, spec);
    }
    return decided.contains(finished.get(0));
  }

  private <P> List<Finished> call(
      List<Running> contexts, List<BatchItem<P>> items, HandlerSpec<P> spec) {
    List<Finished> finished = new ArrayList<>(items.size());
    try {
      BatchHandler.WithOutcomes<P> handler = Require.notNull(spec.batch(), "handler");
      List<Outcome> outcomes = handler.handle(Collections.unmodifiableList(items));
      sayIfLate(contexts.get(0));
      requireOutcomes(outcomes, items.size(), spec);
      for (int i = 0; i < outcomes.size(); i++) {
        finished.add(Finished.of(contexts.get(i).event, outcomes.get(i), spec.options().retries()));
      }
    } catch (Throwable failure) {
      finished.clear();
      contexts.forEach(context -> finished.add(failed(context, spec, failure)));
    }
    return finished;
  }

  private static void requireOutcomes(
      @Nullable List<Outcome> outcomes, int expected, HandlerSpec<?> spec) {
    String of = " of the batch handler of '" + spec.type() + "'";
    List<Outcome> given = Require.notNull(outcomes, "the outcomes" + of);
    Require.that(
        given.size() == expected,
        () -> "the outcomes" + of + " must be " + expected + ", were " + given.size());
    given.forEach(outcome -> Require.notNull(outcome, "each outcome" + of));
  }

  private <P> Finished call(Running context, HandlerSpec<P> spec, P payload) {
    try {
      Handler.WithOutcome<P> handler = Require.notNull(spec.handler(), "handler");
      Outcome outcome = handler.handle(payload, context);
      sayIfLate(context);
      return Finished.of(
          context.event,
          Require.notNull(outcome, "the outcome of the handler of '" + spec.type() + "'"),
          spec.options().retries());
    } catch (Throwable failure) {
      return failed(context, spec, failure);
    }
  }

  /** Null where the event has ended along with the handler's own changes. */
  private <P> @Nullable Finished callInTransaction(
      Running context, HandlerSpec<P> spec, P payload) {
    Claimed event = context.event;
    TransactionalHandler<P> handler = Require.notNull(spec.transactional(), "handler");
    try {
      home.transactions()
          .<Boolean, Exception>call(
              tx -> {
                handler.handle(payload, tx, context);
                if (context.stopReason() == Running.Stop.TIMEOUT) {
                  throw new TimeoutException("it returned too late, and is rolled back");
                }
                end(tx, event);
                return true;
              });
      completer.forgotten(context.event);
      return null;
    } catch (CommitUnknownException unknown) {
      return afterUnknownCommit(context, spec, unknown);
    } catch (ClaimLostException lost) {
      LOG.warn("{}", lost.getMessage());
      completer.forgotten(context.event);
      return null;
    } catch (Throwable failure) {
      return failed(context, spec, failure);
    }
  }

  private void end(Transaction tx, Claimed event) {
    Ending ending = new Ending(event.id(), event.version(), EventStatus.COMPLETED, null);
    try {
      if (home.store().end(tx.connection(), event.shard(), List.of(ending)).isEmpty()) {
        throw new ClaimLostException(new EventId(event.shard(), event.id()), event.version());
      }
    } catch (SQLException e) {
      throw SqlText.failed(tx, "completing an event in its handler's transaction", e);
    }
  }

  /** Unknown is not success, nor failure: the event itself tells which it was. */
  private <P> @Nullable Finished afterUnknownCommit(
      Running context, HandlerSpec<P> spec, CommitUnknownException unknown) {
    try {
      Optional<EventRecord> now =
          home.call(
              () -> "finding out about the event " + context.id(),
              connection ->
                  home.store().find(connection, context.event.shard(), context.event.id()));
      if (now.isPresent() && now.get().status() == EventStatus.COMPLETED) {
        completer.forgotten(context.event);
        return null;
      }
    } catch (RuntimeException e) {
      unknown.addSuppressed(e);
    }
    // conditional on the version, so it does no harm where the commit comes through after all
    return failed(context, spec, unknown).whileInDoubt();
  }

  private Finished failed(Running context, HandlerSpec<?> spec, Throwable failure) {
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

  private static Finished byPolicy(Claimed event, HandlerSpec<?> spec, Throwable cause) {
    RetryPolicy policy = spec.options().retries();
    try {
      return Finished.of(event, policy.after(cause, event.attempts()), policy);
    } catch (RuntimeException | Error ofTheUsersRule) {
      return Finished.of(
          event, RetryPolicy.standard().after(ofTheUsersRule, event.attempts()), policy);
    }
  }

  /** An event around whose handler the engine itself failed, such as for want of memory. */
  void engineFailed(Claimed event, Throwable failure) {
    LOG.error(
        "the engine failed around the handler of {}; the event is retried by its policy",
        new EventId(event.shard(), event.id()),
        failure);
    HandlerSpec<?> spec = Require.notNull(settings.handlers().get(event.type()), event.type());
    completer.add(byPolicy(event, spec, failure));
  }

  /**
   * Takes an event away from a handler that does not stop: what it does from now on is refused.
   * Answers whether it did; false where the handler has come to its end meanwhile.
   */
  boolean takeAway(Running context) {
    if (!context.decide()) {
      return false;
    }
    running.remove(context);
    LOG.warn(
        "the handler of {} ({}) ignores its interrupt for longer than its grace; its event is taken"
            + " away, and its thread {} is left alone",
        context.id(),
        context.type(),
        context.thread().getName());
    completer.add(
        byPolicy(
            context.event,
            context.spec,
            new TimeoutException(
                "the handler took longer than " + context.spec.timeout() + " and did not stop")));
    return true;
  }
}
