package dev.holdfast.internal.event.engine;

import dev.holdfast.event.EventHandler;
import dev.holdfast.event.EventId;
import dev.holdfast.event.Outcome;
import dev.holdfast.event.Worker;
import dev.holdfast.internal.Require;
import dev.holdfast.internal.event.store.ClaimedEvent;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs handlers, each in the way of its kind. Thread-safe. */
final class HandlerInvoker {
  private static final Logger LOG = LoggerFactory.getLogger(Worker.class);

  private final WorkerOptions settings;
  private final InstanceLease lease;
  private final BatchCompleter completer;
  private final HandlerCode code;
  private final Beginning beginning;
  private final OutcomeProcessor aftermath;
  private final TransactionalInvocation transactions;
  private final BatchInvocation batches;
  private final AsyncInvocation asynchronous;
  private final Set<HandlerExecution> running = ConcurrentHashMap.newKeySet();

  HandlerInvoker(
      EventBackend home,
      WorkerOptions settings,
      InstanceLease lease,
      BatchCompleter completer,
      Consumer<Throwable> thrown) {
    this.code = new HandlerCode(thrown);
    this.settings = settings;
    this.lease = lease;
    this.completer = completer;
    this.beginning = new Beginning(home, settings.maxCrashes(), completer);
    this.aftermath = new OutcomeProcessor(home, completer);
    this.transactions = new TransactionalInvocation(home, completer, code);
    this.batches = new BatchInvocation(code, lease, beginning, aftermath, running);
    this.asynchronous = new AsyncInvocation(code, lease, beginning, aftermath, running);
  }

  /** What is running now. */
  Set<HandlerExecution> running() {
    return running;
  }

  /** Whether {@link #begin} is for events of this type, and not {@link #handle}. */
  boolean isAsynchronous(String type) {
    return spec(type).body() instanceof EventHandler.Body.Asynchronous;
  }

  /**
   * Begins an event whose handler goes on without a thread.
   *
   * @param ended is run once, in any thread, when it is decided what becomes of it, unless it is
   *     taken away meanwhile
   */
  void begin(ClaimedEvent event, long owner, AsyncInvocation.Ended ended) {
    asynchronous.begin(event, owner, spec(event.type()), ended);
  }

  /**
   * Handles events of one type that {@code owner} has claimed, from their payloads to their ends;
   * several where the handler takes them in one call.
   *
   * @return whether the thread may go on: false where they were taken away from it meanwhile
   */
  boolean handle(List<ClaimedEvent> events, long owner) {
    return handle(events, owner, spec(events.get(0).type()));
  }

  private EventHandler<?> spec(String type) {
    return Require.notNull(settings.handlers().get(type), type);
  }

  private <P> boolean handle(List<ClaimedEvent> events, long owner, EventHandler<P> spec) {
    if (spec.body() instanceof EventHandler.Body.InBatches<P> batch) {
      return batches.handle(events, owner, spec, batch.code());
    }
    ClaimedEvent event = events.get(0);
    return !beginning.of(event, spec) || handle(event, owner, spec);
  }

  private <P> boolean handle(ClaimedEvent event, long owner, EventHandler<P> spec) {
    Optional<P> payload = aftermath.read(event, spec);
    if (payload.isEmpty()) {
      return true;
    }
    HandlerExecution context = new HandlerExecution(event, spec, owner, lease);
    running.add(context);
    @Nullable Completion finished;
    try {
      finished = call(context, spec, payload.get());
    } finally {
      running.remove(context);
    }
    boolean decided = context.decide();
    // the interrupt was for the handler, not for the next one
    boolean interrupted = Thread.interrupted();
    if (!decided) {
      OutcomeProcessor.refused(context, interrupted);
      return false;
    }
    if (finished != null) {
      aftermath.store(List.of(finished), spec);
    }
    return true;
  }

  /** Null where the event has ended along with the handler's own changes. */
  private <P> @Nullable Completion call(HandlerExecution context, EventHandler<P> spec, P payload) {
    if (spec.body() instanceof EventHandler.Body.InTransaction<P> transactional) {
      return transactions.call(context, spec, transactional.code(), payload);
    }
    if (!context.isOwned()) {
      return Completion.giveBack(context.event);
    }
    try {
      EventHandler.Returning<P> single = ((EventHandler.Body.Single<P>) spec.body()).code();
      Outcome outcome = code.call(() -> single.handle(payload, context));
      OutcomeProcessor.sayIfLate(context);
      return OutcomeProcessor.finished(context, spec, outcome);
    } catch (Throwable failure) {
      return OutcomeProcessor.failed(context, spec, failure);
    }
  }

  /** An event that was not begun before the lease was lost. */
  void giveBack(ClaimedEvent event) {
    completer.add(Completion.giveBack(event));
  }

  /** An event around whose handler the engine itself failed, such as for want of memory. */
  void engineFailed(ClaimedEvent event, Throwable failure) {
    LOG.error(
        "event-engine-failed: the engine failed while it handled event {}; the event is retried by"
            + " its policy",
        new EventId(event.shard(), event.id()),
        failure);
    completer.add(OutcomeProcessor.byPolicy(event, spec(event.type()), failure));
  }

  /**
   * Takes an event away from a handler that does not stop: what it does from now on is refused.
   * Answers whether it did; false where the handler has come to its end meanwhile.
   */
  boolean takeAway(HandlerExecution context) {
    if (!context.decide()) {
      return false;
    }
    running.remove(context);
    LOG.warn(
        "event-handler-hung: handler of event {} ({}) ignored its interrupt; event abandoned and"
            + " retried by its policy, thread {} leaked",
        context.id(),
        context.type(),
        context.body());
    Outcome outcome = context.finalOutcome();
    completer.add(
        outcome != null
            ? OutcomeProcessor.finished(context, context.spec, outcome)
            : OutcomeProcessor.byPolicy(
                context.event,
                context.spec,
                new TimeoutException(
                    "the handler took longer than "
                        + context.spec.timeout()
                        + " and did not stop")));
    return true;
  }
}
