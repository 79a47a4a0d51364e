package dev.holdfast.event;

import dev.holdfast.event.internal.Claimed;
import dev.holdfast.internal.Require;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs handlers, each in the way of its kind. Thread-safe. */
final class Execution {
  private static final Logger LOG = LoggerFactory.getLogger(Worker.class);

  private final WorkerSettings settings;
  private final InstanceLease lease;
  private final Completer completer;
  private final Beginning beginning;
  private final Aftermath aftermath;
  private final TransactionalExecution transactions;
  private final BatchExecution batches;
  private final AsyncExecution asynchronous;
  private final Set<Running> running = ConcurrentHashMap.newKeySet();

  Execution(EventHome home, WorkerSettings settings, InstanceLease lease, Completer completer) {
    this.settings = settings;
    this.lease = lease;
    this.completer = completer;
    this.beginning = new Beginning(home, settings.mostCrashes(), completer);
    this.aftermath = new Aftermath(home, completer);
    this.transactions = new TransactionalExecution(home, completer);
    this.batches = new BatchExecution(lease, beginning, aftermath, running);
    this.asynchronous = new AsyncExecution(lease, beginning, aftermath, running);
  }

  /** What is running now. */
  Set<Running> running() {
    return running;
  }

  /** Whether {@link #begin} is for events of this type, and not {@link #handle}. */
  boolean isAsynchronous(String type) {
    return spec(type).body() instanceof HandlerSpec.Async;
  }

  /**
   * Begins an event whose handler goes on without a thread.
   *
   * @param ended is run once, in any thread, when it is decided what becomes of it, unless it is
   *     taken away meanwhile
   */
  void begin(Claimed event, long owner, AsyncExecution.Ended ended) {
    asynchronous.begin(event, owner, spec(event.type()), ended);
  }

  /**
   * Handles events of one type that {@code owner} has claimed, from their payloads to their ends;
   * several where the handler takes them in one call.
   *
   * @return whether the thread may go on: false where they were taken away from it meanwhile
   */
  boolean handle(List<Claimed> events, long owner) {
    return handle(events, owner, spec(events.get(0).type()));
  }

  private HandlerSpec<?> spec(String type) {
    return Require.notNull(settings.handlers().get(type), type);
  }

  private <P> boolean handle(List<Claimed> events, long owner, HandlerSpec<P> spec) {
    if (spec.body() instanceof HandlerSpec.Batch<P> batch) {
      return batches.handle(events, owner, spec, batch.handler());
    }
    Claimed event = events.get(0);
    return !beginning.of(event, spec) || handle(event, owner, spec);
  }

  private <P> boolean handle(Claimed event, long owner, HandlerSpec<P> spec) {
    Optional<P> payload = aftermath.read(event, spec);
    if (payload.isEmpty()) {
      return true;
    }
    Running context = new Running(event, spec, owner, lease);
    running.add(context);
    @Nullable Finished finished;
    try {
      finished = call(context, spec, payload.get());
    } finally {
      running.remove(context);
    }
    boolean decided = context.decide();
    // the interrupt was for the handler, not for the next one
    boolean interrupted = Thread.interrupted();
    if (!decided) {
      Aftermath.refused(context, interrupted);
      return false;
    }
    if (finished != null) {
      aftermath.store(List.of(finished), spec);
    }
    return true;
  }

  /** Null where the event has ended along with the handler's own changes. */
  private <P> @Nullable Finished call(Running context, HandlerSpec<P> spec, P payload) {
    if (spec.body() instanceof HandlerSpec.InTransaction<P> transactional) {
      return transactions.call(context, spec, transactional.handler(), payload);
    }
    if (!context.isOwned()) {
      return Finished.giveBack(context.event);
    }
    try {
      Outcome outcome = ((HandlerSpec.Single<P>) spec.body()).handler().handle(payload, context);
      Aftermath.sayIfLate(context);
      return Aftermath.finished(context, spec, outcome);
    } catch (Throwable failure) {
      return Aftermath.failed(context, spec, failure);
    }
  }

  /** An event that was not begun before the lease was lost. */
  void giveBack(Claimed event) {
    completer.add(Finished.giveBack(event));
  }

  /** An event around whose handler the engine itself failed, such as for want of memory. */
  void engineFailed(Claimed event, Throwable failure) {
    LOG.error(
        "the engine failed around the handler of {}; the event is retried by its policy",
        new EventId(event.shard(), event.id()),
        failure);
    completer.add(Aftermath.byPolicy(event, spec(event.type()), failure));
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
            + " away, and {} is left alone",
        context.id(),
        context.type(),
        context.body());
    Outcome outcome = context.finalOutcome();
    completer.add(
        outcome != null
            ? Aftermath.finished(context, context.spec, outcome)
            : Aftermath.byPolicy(
                context.event,
                context.spec,
                new TimeoutException(
                    "the handler took longer than "
                        + context.spec.timeout()
                        + " and did not stop")));
    return true;
  }
}
