package dev.holdfast.event;

import java.util.concurrent.CompletionStage;

/**
 * The user's code for events of one type. Runs at least once for each event: an instance may die,
 * or lose its claim, after the work and before this is stored. An exception means a retry, by the
 * {@link RetryPolicy}.
 */
@FunctionalInterface
public interface Handler<P> {
  void handle(P payload, EventContext context) throws Exception;

  /** As {@link Handler}, for code that says what shall become of the event. */
  @FunctionalInterface
  interface WithOutcome<P> {
    Outcome handle(P payload, EventContext context) throws Exception;
  }

  /**
   * As {@link WithOutcome}, for code that waits for others without a thread, such as an HTTP call:
   * the event is in work until the stage completes. It must return soon. A stage that fails means a
   * retry, by the {@link RetryPolicy}; one that is to stop is cancelled, as a future.
   */
  @FunctionalInterface
  interface Asynchronous<P> {
    CompletionStage<Outcome> handle(P payload, EventContext context) throws Exception;
  }
}
