package dev.holdfast.event;

import dev.holdfast.event.internal.Claimed;
import dev.holdfast.event.internal.Ending;
import dev.holdfast.internal.Require;
import dev.holdfast.sql.CommitUnknownException;
import dev.holdfast.sql.Transaction;
import dev.holdfast.sql.internal.SqlText;
import java.sql.SQLException;
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
  private final Set<Running> running = ConcurrentHashMap.newKeySet();

  Execution(EventHome home, WorkerSettings settings, InstanceLease lease, Completer completer) {
    this.home = home;
    this.settings = settings;
    this.lease = lease;
    this.completer = completer;
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
    if (event.useless()) {
      completer.add(Finished.end(event, EventStatus.CANCELLED, "its deadline has passed"));
      return true;
    }
    return handle(event, owner, spec);
  }

  private <P> boolean handle(Claimed event, long owner, HandlerSpec<P> spec) {
    P payload;
    try {
      payload = spec.type().read(event.payload(), home.codec());
    } catch (RuntimeException | LinkageError e) {
      // parked: in the history, where it can be looked at, mended and replayed
      completer.add(
          Finished.end(
              event, EventStatus.FAILED, "its payload cannot be read: " + RetryPolicy.text(e)));
      return true;
    }
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
      LOG.warn(
          "the handler of {} came to an end after its event was taken away from it; its result is"
              + " refused{}",
          context.id(),
          interrupted ? "" : " and it never noticed its interrupt");
      return false;
    }
    if (finished != null) {
      store(finished, spec);
    }
    return true;
  }

  private void store(Finished finished, HandlerSpec<?> spec) {
    if (spec.options().completion() == HandlerOptions.Completion.IMMEDIATE) {
      try {
        completer.store(List.of(finished), false);
        completer.forgotten(finished);
        return;
      } catch (RuntimeException e) {
        LOG.warn(
            "an event could not be completed at once, going on in the background: {}",
            e.toString());
        completer.add(finished.whileInDoubt());
        return;
      }
    }
    completer.add(finished);
  }

  private <P> Finished call(Running context, HandlerSpec<P> spec, P payload) {
    try {
      Handler.WithOutcome<P> handler = Require.notNull(spec.handler(), "handler");
      Outcome outcome = handler.handle(payload, context);
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
    LOG.debug("the handler of {} failed", context.id(), failure);
    return byPolicy(context.event, spec, cause);
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
