package dev.holdfast.event;

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
}
