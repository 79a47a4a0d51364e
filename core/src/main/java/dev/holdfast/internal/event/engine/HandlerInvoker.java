package dev.holdfast.internal.event.engine;

import dev.holdfast.LeaseLostException;
import dev.holdfast.event.EventContext;
import dev.holdfast.event.EventHandler;
import dev.holdfast.event.EventId;
import dev.holdfast.event.EventRecord;
import dev.holdfast.event.EventStatus;
import dev.holdfast.event.Outcome;
import dev.holdfast.event.Worker;
import dev.holdfast.internal.Require;
import dev.holdfast.internal.event.FailureText;
import dev.holdfast.internal.event.store.ClaimedEvent;
import dev.holdfast.internal.event.store.CompletionUpdate;
import dev.holdfast.internal.sql.SqlBuilder;
import dev.holdfast.transaction.CommitUnknownException;
import dev.holdfast.transaction.Transaction;
import dev.holdfast.transaction.Transactions;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Handles claimed events, each in these steps.
 *
 * <ol>
 *   <li>Checks whether its handler may be called: its deadline may have passed, or its attempts or
 *       crashes may be used up.
 *   <li>Decodes its payload.
 *   <li>Calls the handler by its kind: a single event, one in the transaction that completes it, a
 *       batch, or an async one that goes on without a thread.
 *   <li>Decides by the outcome or the failure how it is completed, and gives that to the {@link
 *       BatchCompleter}.
 * </ol>
 *
 * <p>Thread-safe.
 */
final class HandlerInvoker {
  private static final Logger LOG = LoggerFactory.getLogger(Worker.class);

  /** For the statements of a transactional handler, in addition to its timeout. */
  private static final Duration GRACE = Duration.ofSeconds(10);

  private static final Duration MAX_TRANSACTION_LIMIT = Duration.ofDays(1);

  private final EventBackend home;
  private final WorkerOptions settings;
  private final InstanceLease lease;
  private final BatchCompleter completer;
  private final Consumer<Throwable> thrown;
  private final Set<HandlerExecution> running = ConcurrentHashMap.newKeySet();

  /**
   * @param thrown is given what the code of handlers throws, but not failures of the engine
   */
  HandlerInvoker(
      EventBackend home,
      WorkerOptions settings,
      InstanceLease lease,
      BatchCompleter completer,
      Consumer<Throwable> thrown) {
    this.home = home;
    this.settings = settings;
    this.lease = lease;
    this.completer = completer;
    this.thrown = thrown;
  }

  /** What is running now. */
  Set<HandlerExecution> running() {
    return running;
  }

  /** Whether {@link #start} is for events of this type, and not {@link #handle}. */
  boolean isAsync(String type) {
    return handlerOf(type).body() instanceof EventHandler.Body.Asynchronous;
  }

  private EventHandler<?> handlerOf(String type) {
    return Require.notNull(settings.handlers().get(type), type);
  }

  /**
   * Handles events of one type that this instance has claimed; several if the handler takes them in
   * one call.
   *
   * @return whether the thread may go on: false if the events were abandoned in the meantime
   */
  boolean handle(List<ClaimedEvent> events, long instance) {
    return handle(events, instance, handlerOf(events.get(0).type()));
  }

  private <P> boolean handle(List<ClaimedEvent> events, long instance, EventHandler<P> handler) {
    if (handler.body() instanceof EventHandler.Body.InBatches<P> batch) {
      return handleBatch(events, instance, handler, batch.code());
    }
    ClaimedEvent event = events.get(0);
    Optional<P> payload = startWithPayload(event, handler);
    return payload.isEmpty() || handleSingle(event, instance, handler, payload.get());
  }

  // 1. may the handler be called?

  /**
   * The payload of an event that may be handled; if it may not, the completer knows the outcome.
   */
  private <P> Optional<P> startWithPayload(ClaimedEvent event, EventHandler<P> handler) {
    return mayStart(event, handler) ? decode(event, handler) : Optional.empty();
  }

  private boolean mayStart(ClaimedEvent event, EventHandler<?> handler) {
    if (event.useless()) {
      completer.add(Completion.end(event, EventStatus.CANCELLED, "its deadline has passed"));
      return false;
    }
    int max = handler.retryPolicy().maxAttempts();
    if (event.attempts() > max) {
      String reason =
          "its attempts are used up: there are "
              + max
              + ", and in at least one of them its instance died or its policy allowed more";
      LOG.warn(
          "event-failed: event {} ({}) failed permanently: {}", id(event), event.type(), reason);
      completer.add(Completion.end(event, EventStatus.FAILED, reason));
      return false;
    }
    if (!handler.hasCrashLimit()) {
      return true;
    }
    int maxCrashes = handler.maxCrashes().orElse(settings.maxCrashes());
    if (event.crashes() >= maxCrashes) {
      return mayStartAfterCrashes(event, maxCrashes);
    }
    // if a crash would not let it fail, its start is not recorded
    return (event.crashes() == 0 && maxCrashes > 1) || recordStart(event);
  }

  /**
   * The first crash of an event is counted whether it was started or not, unless each start is
   * recorded; with a limit of one crash it is.
   */
  private boolean mayStartAfterCrashes(ClaimedEvent event, int maxCrashes) {
    try {
      if (maxCrashes == 1
          && !home.step(
              () -> "checking whether the event " + id(event) + " was started before its crash",
              c -> home.store().crashedAfterBegin(c, event.shard(), event.id(), event.version()))) {
        return recordStart(event);
      }
    } catch (RuntimeException e) {
      LOG.warn(
          "event-start-failed: could not start event {}; requeued: {}",
          id(event),
          HealthIssues.text(e));
      completer.add(Completion.requeue(event));
      return false;
    }
    String reason =
        event.crashes() + " of " + maxCrashes + " crashes: the instance stopped while handling it";
    LOG.warn("event-failed: event {} ({}) failed permanently: {}", id(event), event.type(), reason);
    completer.add(Completion.end(event, EventStatus.FAILED, reason));
    return false;
  }

  private boolean recordStart(ClaimedEvent event) {
    try {
      boolean owned =
          home.step(
              () -> "starting the event " + id(event),
              connection ->
                  home.store().begin(connection, event.shard(), event.id(), event.version()));
      if (!owned) {
        LOG.warn(
            "event-lease-lost: event {} (version {}) not started; another instance owns it now",
            id(event),
            event.version());
        completer.lost(event);
      }
      return owned;
    } catch (RuntimeException e) {
      LOG.warn(
          "event-start-failed: could not start event {}; requeued: {}",
          id(event),
          HealthIssues.text(e));
      completer.add(Completion.requeue(event));
      return false;
    }
  }

  // 2. decode its payload

  /** An event whose payload cannot be decoded fails; after a fix it can be replayed. */
  private <P> Optional<P> decode(ClaimedEvent event, EventHandler<P> handler) {
    try {
      return Optional.of(home.decode(handler.type(), event.payload()));
    } catch (RuntimeException | LinkageError e) {
      completer.add(
          Completion.end(
              event, EventStatus.FAILED, "its payload cannot be read: " + FailureText.of(e)));
      return Optional.empty();
    }
  }

  // 3. call the handler by its kind

  private <P> boolean handleSingle(
      ClaimedEvent event, long instance, EventHandler<P> handler, P payload) {
    HandlerExecution execution = new HandlerExecution(event, handler, instance, lease);
    running.add(execution);
    @Nullable Completion completion;
    try {
      completion = call(execution, handler, payload);
    } finally {
      running.remove(execution);
    }
    boolean decided = execution.decide();
    // the interrupt was for the handler, not for the next one
    boolean interrupted = Thread.interrupted();
    if (!decided) {
      logRejected(execution, interrupted);
      return false;
    }
    if (completion != null) {
      complete(List.of(completion), handler);
    }
    return true;
  }

  /** Null if the event has completed along with the handler's own changes. */
  private <P> @Nullable Completion call(
      HandlerExecution execution, EventHandler<P> handler, P payload) {
    if (handler.body() instanceof EventHandler.Body.InTransaction<P> transactional) {
      return callInTransaction(execution, handler, transactional.code(), payload);
    }
    if (!execution.isOwned()) {
      return Completion.requeue(execution.event);
    }
    try {
      EventHandler.Returning<P> code = ((EventHandler.Body.Single<P>) handler.body()).code();
      Outcome outcome = callUser(() -> code.handle(payload, execution));
      logIfLate(execution);
      return completionOf(execution, handler, outcome);
    } catch (Throwable failure) {
      return completionOfFailure(execution, handler, failure);
    }
  }

  private <T> T callUser(Callable<T> code) throws Exception {
    try {
      return code.call();
    } catch (Throwable failure) {
      thrown.accept(failure);
      throw failure;
    }
  }

  /** Null if the event has completed along with the handler's own changes. */
  private <P> @Nullable Completion callInTransaction(
      HandlerExecution execution,
      EventHandler<P> handler,
      EventHandler.Transactional<P> code,
      P payload) {
    try {
      transactionsFor(handler)
          .<Boolean, Exception>call(
              tx -> {
                if (!execution.isOwned()) {
                  throw new NotOwnedException();
                }
                callUser(
                    () -> {
                      code.handle(payload, tx, execution);
                      return true;
                    });
                if (execution.stopReason() == HandlerExecution.Stop.TIMEOUT) {
                  throw new TimeoutException("it returned too late, and is rolled back");
                }
                completeIn(tx, execution.event);
                return true;
              });
      completer.completed(execution.event);
      return null;
    } catch (CommitUnknownException unknown) {
      return afterUnknownCommit(execution, handler, unknown);
    } catch (NotOwnedException late) {
      return Completion.requeue(execution.event);
    } catch (LeaseLostException lost) {
      if (!lost.subject().equals(subject(execution.event))) {
        return completionOfFailure(execution, handler, lost);
      }
      LOG.warn(
          "event-lease-lost: outcome of event {} rejected and its transaction rolled back; another"
              + " instance owns it now: {}",
          execution.id(),
          lost.getMessage());
      completer.lost(execution.event);
      return null;
    } catch (Throwable failure) {
      return completionOfFailure(execution, handler, failure);
    }
  }

  /**
   * A handler waits for the server as long as it may run, and not much longer; so does the server
   * for a handler, which may be suspended or cut off while it has locked the row of its event.
   */
  private Transactions transactionsFor(EventHandler<?> handler) {
    Duration limit = handler.timeout().plus(GRACE);
    return limit.compareTo(MAX_TRANSACTION_LIMIT) > 0
        ? home.transactions()
        : home.transactions().idleTimeout(limit).networkTimeout(limit);
  }

  private void completeIn(Transaction tx, ClaimedEvent event) {
    CompletionUpdate update =
        new CompletionUpdate(event.id(), event.version(), EventStatus.COMPLETED, null);
    try {
      if (home.store().end(tx.connection(), event.shard(), List.of(update)).isEmpty()) {
        throw new LeaseLostException(
            "event-lease-lost",
            subject(event),
            OptionalLong.empty(),
            "Cannot complete event "
                + id(event)
                + " at version "
                + event.version()
                + ": another instance owns it now. The changes of the handler are rolled back.",
            null);
      }
    } catch (SQLException e) {
      throw SqlBuilder.failed(tx, "completing an event in its handler's transaction", e);
    }
  }

  /** Distinguishes the lease of the event from other leases that a handler may lose. */
  private static String subject(ClaimedEvent event) {
    return "event " + id(event);
  }

  /** The lease was lost while the transaction was opened; the handler was not called. */
  private static final class NotOwnedException extends RuntimeException {
    private static final long serialVersionUID = 1;

    NotOwnedException() {
      super("the lease was lost before the handler was called", null, false, false);
    }
  }

  /** Unknown is neither success nor failure: the event itself shows which of them it was. */
  private <P> @Nullable Completion afterUnknownCommit(
      HandlerExecution execution, EventHandler<P> handler, CommitUnknownException unknown) {
    ClaimedEvent event = execution.event;
    try {
      Optional<EventRecord> now =
          home.call(
              () -> "reading the event " + id(event) + " after an unknown commit",
              connection -> home.store().find(connection, event.shard(), event.id()));
      if (now.isPresent() && now.get().status() == EventStatus.COMPLETED) {
        completer.completed(event);
        return null;
      }
    } catch (RuntimeException e) {
      unknown.addSuppressed(e);
    }
    // conditional on the version, so it does no harm if the commit comes through after all
    return completionOfFailure(execution, handler, unknown).inDoubt();
  }

  private <P> boolean handleBatch(
      List<ClaimedEvent> events,
      long instance,
      EventHandler<P> handler,
      EventHandler.Batch<P> code) {
    List<EventHandler.Item<P>> items = new ArrayList<>(events.size());
    List<HandlerExecution> executions = new ArrayList<>(events.size());
    for (ClaimedEvent event : events) {
      Optional<P> payload = startWithPayload(event, handler);
      if (payload.isPresent()) {
        HandlerExecution leader = executions.isEmpty() ? null : executions.get(0);
        HandlerExecution execution = new HandlerExecution(event, handler, instance, lease, leader);
        executions.add(execution);
        items.add(new BatchItem<>(payload.get(), execution));
      }
    }
    if (items.isEmpty()) {
      return true;
    }
    running.addAll(executions);
    List<Completion> completions;
    try {
      completions = callBatch(executions, items, handler, code);
    } finally {
      executions.forEach(running::remove);
    }
    List<Completion> decided = new ArrayList<>(completions.size());
    for (int i = 0; i < executions.size(); i++) {
      if (executions.get(i).decide()) {
        decided.add(completions.get(i));
      }
    }
    // the interrupt was for the handler, not for the next one
    boolean interrupted = Thread.interrupted();
    if (decided.size() < executions.size()) {
      logRejected(executions.get(0), interrupted);
    }
    if (!decided.isEmpty()) {
      complete(decided, handler);
    }
    return decided.contains(completions.get(0));
  }

  private <P> List<Completion> callBatch(
      List<HandlerExecution> executions,
      List<EventHandler.Item<P>> items,
      EventHandler<P> handler,
      EventHandler.Batch<P> code) {
    List<Completion> completions = new ArrayList<>(items.size());
    if (!executions.get(0).isOwned()) {
      executions.forEach(execution -> completions.add(Completion.requeue(execution.event)));
      return completions;
    }
    try {
      callUser(
          () -> {
            code.handle(Collections.unmodifiableList(items));
            return true;
          });
      logIfLate(executions.get(0));
      for (HandlerExecution execution : executions) {
        Outcome outcome = execution.finalOutcome();
        completions.add(
            completionOf(execution, handler, outcome == null ? Outcome.complete() : outcome));
      }
    } catch (Throwable failure) {
      completions.clear();
      for (HandlerExecution execution : executions) {
        Outcome outcome = execution.finalOutcome();
        completions.add(
            outcome == null
                ? completionOfFailure(execution, handler, failure)
                : completionOf(execution, handler, outcome));
      }
    }
    return completions;
  }

  /** One event of a batch that runs. Thread-safe. */
  private record BatchItem<P>(P payload, HandlerExecution execution)
      implements EventHandler.Item<P> {
    @Override
    public EventContext context() {
      return execution;
    }

    @Override
    public void outcome(Outcome outcome) {
      execution.outcome(Require.notNull(outcome, "outcome"));
    }
  }

  /** What to do when the outcome of an event of an async handler is decided. */
  @FunctionalInterface
  interface Ended {
    /**
     * Called once for each event.
     *
     * @param ofTheEngine null unless the engine failed, so that the completer does not know of the
     *     event
     */
    void run(@Nullable Throwable ofTheEngine);
  }

  /**
   * Starts an event of an async handler.
   *
   * @param ended is run once, in any thread, when the outcome is decided, unless the event is
   *     abandoned before
   */
  void start(ClaimedEvent event, long instance, Ended ended) {
    start(event, instance, handlerOf(event.type()), ended);
  }

  private <P> void start(ClaimedEvent event, long instance, EventHandler<P> handler, Ended ended) {
    Optional<P> payload = startWithPayload(event, handler);
    if (payload.isEmpty()) {
      ended.run(null);
      return;
    }
    HandlerExecution execution = new HandlerExecution(event, handler, instance, lease);
    if (!execution.isOwned()) {
      complete(List.of(Completion.requeue(event)), handler);
      ended.run(null);
      return;
    }
    running.add(execution);
    EventHandler.Async<P> code = ((EventHandler.Body.Asynchronous<P>) handler.body()).code();
    CompletionStage<Outcome> stage;
    try {
      stage =
          Require.notNull(
              callUser(() -> code.handle(payload.get(), execution)),
              "what the handler of '" + handler.type() + "' answers");
      execution.runsAs(stage);
    } catch (Throwable failure) {
      ended(execution, null, failure, ended);
      return;
    } finally {
      // the interrupt was for this call, not for the next one
      Thread.interrupted();
    }
    stage.whenComplete(
        (outcome, failure) -> {
          if (failure != null) {
            thrown.accept(failure);
          }
          ended(execution, outcome, failure, ended);
        });
  }

  private void ended(
      HandlerExecution execution,
      @Nullable Outcome outcome,
      @Nullable Throwable failure,
      Ended ended) {
    running.remove(execution);
    if (!execution.decide()) {
      logRejected(execution, true);
      return;
    }
    Throwable ofTheEngine = null;
    try {
      complete(List.of(completionOfStage(execution, outcome, failure)), execution.handler);
    } catch (RuntimeException | Error e) {
      ofTheEngine = e;
    }
    ended.run(ofTheEngine);
  }

  private static Completion completionOfStage(
      HandlerExecution execution, @Nullable Outcome outcome, @Nullable Throwable failure) {
    try {
      if (failure != null) {
        boolean wrapped = failure instanceof CompletionException && failure.getCause() != null;
        throw wrapped ? failure.getCause() : failure;
      }
      logIfLate(execution);
      return completionOf(execution, execution.handler, outcome);
    } catch (Throwable thrown) {
      return completionOfFailure(execution, execution.handler, thrown);
    }
  }

  // 4. complete it

  private static Completion completionOf(
      HandlerExecution execution, EventHandler<?> handler, @Nullable Outcome outcome) {
    return Completion.of(
        execution.event,
        Require.notNull(outcome, "the outcome of the handler of '" + handler.type() + "'"),
        handler.retryPolicy());
  }

  private static Completion completionOfFailure(
      HandlerExecution execution, EventHandler<?> handler, Throwable failure) {
    HandlerExecution.Stop stop = execution.stopReason();
    if (stop == HandlerExecution.Stop.CANCEL_REQUESTED) {
      return Completion.end(
          execution.event, EventStatus.CANCELLED, "cancelled while it was being handled");
    }
    if (stop == HandlerExecution.Stop.WORKER_STOPS || stop == HandlerExecution.Stop.LEASE_LOST) {
      return Completion.requeue(execution.event);
    }
    Throwable cause =
        stop == HandlerExecution.Stop.TIMEOUT
            ? new TimeoutException("the handler took longer than " + handler.timeout())
            : failure;
    Completion completion = Completion.ofFailure(execution.event, handler, cause);
    try {
      log(execution, completion, cause, failure);
    } catch (RuntimeException | Error ofTheUsersException) {
      LOG.warn(
          "event-handler-failed: handler of event {} threw an exception that could not be"
              + " formatted; retried by its policy",
          execution.id());
    }
    return completion;
  }

  private void complete(List<Completion> completions, EventHandler<?> handler) {
    if (!handler.completesImmediately()) {
      completions.forEach(completer::add);
      return;
    }
    try {
      completer.store(completions, false);
      completions.forEach(completer::stored);
    } catch (RuntimeException e) {
      LOG.warn(
          "event-completion-failed: could not store the outcome of {} events at once; retrying in"
              + " the background: {}",
          completions.size(),
          HealthIssues.text(e));
      completions.forEach(one -> completer.add(one.inDoubt()));
    }
  }

  /** An event that was not started before the lease was lost. */
  void requeue(ClaimedEvent event) {
    completer.add(Completion.requeue(event));
  }

  /** An event around whose handler the engine itself failed, such as for want of memory. */
  void engineFailed(ClaimedEvent event, Throwable failure) {
    LOG.error(
        "event-engine-failed: the engine failed while it handled event {}; the event is retried by"
            + " its policy",
        new EventId(event.shard(), event.id()),
        failure);
    completer.add(Completion.ofFailure(event, handlerOf(event.type()), failure));
  }

  /**
   * Abandons a handler that does not stop: its outcome is rejected from now on. Returns false if
   * the handler has ended in the meantime.
   */
  boolean abandon(HandlerExecution execution) {
    if (!execution.decide()) {
      return false;
    }
    running.remove(execution);
    LOG.warn(
        "event-handler-hung: handler of event {} ({}) ignored its interrupt; event abandoned and"
            + " retried by its policy, thread {} leaked",
        execution.id(),
        execution.type(),
        execution.body());
    Outcome outcome = execution.finalOutcome();
    completer.add(
        outcome != null
            ? completionOf(execution, execution.handler, outcome)
            : Completion.ofFailure(
                execution.event,
                execution.handler,
                new TimeoutException(
                    "the handler took longer than "
                        + execution.handler.timeout()
                        + " and did not stop")));
    return true;
  }

  /** What a handler has done outside of our transaction is done, however late. */
  private static void logIfLate(HandlerExecution execution) {
    if (execution.stopReason() == HandlerExecution.Stop.TIMEOUT) {
      LOG.warn(
          "event-handler-slow: handler of event {} ({}) exceeded its timeout of {}; its outcome was"
              + " accepted",
          execution.id(),
          execution.type(),
          execution.handler.timeout());
    }
  }

  private static void logRejected(HandlerExecution execution, boolean interrupted) {
    LOG.warn(
        "event-handler-late: handler of event {} returned after its event was abandoned; outcome"
            + " rejected{}",
        execution.id(),
        interrupted ? "" : ", the handler never noticed its interrupt");
  }

  private static void log(
      HandlerExecution execution, Completion completion, Throwable cause, Throwable failure) {
    String key = execution.event.key();
    String what = execution.type() + (key == null ? "" : " '" + key + "'");
    CompletionUpdate update = completion.update();
    if (update != null && update.status() == EventStatus.CANCELLED) {
      LOG.info(
          "event-cancelled: event {} ({}) cancelled: {}",
          execution.id(),
          what,
          FailureText.of(cause));
    } else if (update != null) {
      LOG.warn(
          "event-failed: event {} ({}) failed permanently at attempt {}: {}",
          execution.id(),
          what,
          execution.attempt(),
          FailureText.of(cause),
          failure);
    } else {
      LOG.info(
          "event-retry: event {} ({}) failed at attempt {}; retrying: {}",
          execution.id(),
          what,
          execution.attempt(),
          FailureText.of(cause));
      LOG.debug("the handler of event {} failed", execution.id(), failure);
    }
  }

  private static EventId id(ClaimedEvent event) {
    return new EventId(event.shard(), event.id());
  }
}
