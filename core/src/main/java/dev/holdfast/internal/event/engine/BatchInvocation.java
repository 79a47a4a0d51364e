package dev.holdfast.internal.event.engine;

import dev.holdfast.event.EventHandler;
import dev.holdfast.event.Outcome;
import dev.holdfast.internal.event.store.ClaimedEvent;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Runs handlers of several events at once. Thread-safe. */
final class BatchInvocation {
  private final HandlerCode code;
  private final InstanceLease lease;
  private final Beginning beginning;
  private final OutcomeProcessor aftermath;
  private final Set<HandlerExecution> running;

  BatchInvocation(
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
   * Handles events of one type that {@code owner} has claimed in one call.
   *
   * @return whether the thread may go on: false where it was given up meanwhile
   */
  <P> boolean handle(
      List<ClaimedEvent> events, long owner, EventHandler<P> spec, EventHandler.Batch<P> handler) {
    List<EventHandler.Item<P>> items = new ArrayList<>(events.size());
    List<HandlerExecution> contexts = new ArrayList<>(events.size());
    for (ClaimedEvent event : events) {
      Optional<P> payload =
          beginning.of(event, spec) ? aftermath.read(event, spec) : Optional.empty();
      if (payload.isPresent()) {
        HandlerExecution leader = contexts.isEmpty() ? null : contexts.get(0);
        HandlerExecution context = new HandlerExecution(event, spec, owner, lease, leader);
        contexts.add(context);
        items.add(new BatchItem<>(payload.get(), context));
      }
    }
    if (items.isEmpty()) {
      return true;
    }
    running.addAll(contexts);
    List<Completion> finished;
    try {
      finished = call(contexts, items, spec, handler);
    } finally {
      contexts.forEach(running::remove);
    }
    List<Completion> decided = new ArrayList<>(finished.size());
    for (int i = 0; i < contexts.size(); i++) {
      if (contexts.get(i).decide()) {
        decided.add(finished.get(i));
      }
    }
    // the interrupt was for the handler, not for the next one
    boolean interrupted = Thread.interrupted();
    if (decided.size() < contexts.size()) {
      OutcomeProcessor.refused(contexts.get(0), interrupted);
    }
    if (!decided.isEmpty()) {
      aftermath.store(decided, spec);
    }
    return decided.contains(finished.get(0));
  }

  private <P> List<Completion> call(
      List<HandlerExecution> contexts,
      List<EventHandler.Item<P>> items,
      EventHandler<P> spec,
      EventHandler.Batch<P> handler) {
    List<Completion> finished = new ArrayList<>(items.size());
    if (!contexts.get(0).isOwned()) {
      contexts.forEach(context -> finished.add(Completion.giveBack(context.event)));
      return finished;
    }
    try {
      code.call(
          () -> {
            handler.handle(Collections.unmodifiableList(items));
            return true;
          });
      OutcomeProcessor.sayIfLate(contexts.get(0));
      for (HandlerExecution context : contexts) {
        Outcome outcome = context.finalOutcome();
        finished.add(
            OutcomeProcessor.finished(
                context, spec, outcome == null ? Outcome.complete() : outcome));
      }
    } catch (Throwable failure) {
      finished.clear();
      for (HandlerExecution context : contexts) {
        Outcome outcome = context.finalOutcome();
        finished.add(
            outcome == null
                ? OutcomeProcessor.failed(context, spec, failure)
                : OutcomeProcessor.finished(context, spec, outcome));
      }
    }
    return finished;
  }
}
