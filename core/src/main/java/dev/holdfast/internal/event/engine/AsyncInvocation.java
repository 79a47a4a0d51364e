package dev.holdfast.internal.event.engine;

import dev.holdfast.event.EventHandler;
import dev.holdfast.event.Outcome;
import dev.holdfast.internal.Require;
import dev.holdfast.internal.event.store.ClaimedEvent;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Runs handlers that go on without a thread. Thread-safe. */
final class AsyncInvocation {
  private final HandlerCode code;
  private final InstanceLease lease;
  private final Beginning beginning;
  private final OutcomeProcessor aftermath;
  private final Set<HandlerExecution> running;

  /** What to do when it is decided what becomes of an event. */
  @FunctionalInterface
  interface Ended {
    /**
     * Is called once for each event.
     *
     * @param ofTheEngine where the engine failed, so that nobody knows of the event any more
     */
    void run(@Nullable Throwable ofTheEngine);
  }

  AsyncInvocation(
      HandlerCode code,
      InstanceLease lease,
      Beginning beginning,
      OutcomeProcessor aftermath,
      Set<HandlerExecution> running) {
    this.code = code;
    this.lease = lease;
    this.beginning = beginning;
    this.aftermath = aftermath;
    this.running = running;
  }

  /**
   * Begins an event that {@code owner} has claimed.
   *
   * @param ended is run once it is decided what becomes of it, unless it is taken away meanwhile
   */
  <P> void begin(ClaimedEvent event, long owner, EventHandler<P> spec, Ended ended) {
    Optional<P> payload =
        beginning.of(event, spec) ? aftermath.read(event, spec) : Optional.empty();
    if (payload.isEmpty()) {
      ended.run(null);
      return;
    }
    HandlerExecution context = new HandlerExecution(event, spec, owner, lease);
    if (!context.isOwned()) {
      aftermath.store(List.of(Completion.giveBack(event)), spec);
      ended.run(null);
      return;
    }
    running.add(context);
    EventHandler.Async<P> async = ((EventHandler.Body.Asynchronous<P>) spec.body()).code();
    CompletionStage<Outcome> stage;
    try {
      stage =
          Require.notNull(
              code.call(() -> async.handle(payload.get(), context)),
              "what the handler of '" + spec.type() + "' answers");
      context.goesOnAs(stage);
    } catch (Throwable failure) {
      end(context, null, failure, ended);
      return;
    } finally {
      // the interrupt was for this call, not for the next one
      Thread.interrupted();
    }
    stage.whenComplete(
        (outcome, failure) -> {
          if (failure != null) {
            code.thrown().accept(failure);
          }
          end(context, outcome, failure, ended);
        });
  }

  private void end(
      HandlerExecution context,
      @Nullable Outcome outcome,
      @Nullable Throwable failure,
      Ended ended) {
    running.remove(context);
    if (!context.decide()) {
      OutcomeProcessor.refused(context, true);
      return;
    }
    Throwable ofTheEngine = null;
    try {
      aftermath.store(List.of(finished(context, outcome, failure)), context.spec);
    } catch (RuntimeException | Error e) {
      ofTheEngine = e;
    }
    ended.run(ofTheEngine);
  }

  private static Completion finished(
      HandlerExecution context, @Nullable Outcome outcome, @Nullable Throwable failure) {
    try {
      if (failure != null) {
        boolean wrapped = failure instanceof CompletionException && failure.getCause() != null;
        throw wrapped ? failure.getCause() : failure;
      }
      OutcomeProcessor.sayIfLate(context);
      return OutcomeProcessor.finished(context, context.spec, outcome);
    } catch (Throwable thrown) {
      return OutcomeProcessor.failed(context, context.spec, thrown);
    }
  }
}
