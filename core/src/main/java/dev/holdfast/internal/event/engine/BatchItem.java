package dev.holdfast.internal.event.engine;

import dev.holdfast.event.EventContext;
import dev.holdfast.event.EventHandler;
import dev.holdfast.event.Outcome;
import dev.holdfast.internal.Require;

/** One event of a batch that runs. Thread-safe. */
record BatchItem<P>(P payload, HandlerExecution running) implements EventHandler.Item<P> {
  @Override
  public EventContext context() {
    return running;
  }

  @Override
  public void outcome(Outcome outcome) {
    running.outcome(Require.notNull(outcome, "outcome"));
  }
}
