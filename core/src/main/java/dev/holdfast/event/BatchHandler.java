package dev.holdfast.event;

import java.util.List;

/**
 * The user's code for several events of one type in one call: whoever returns is done with all of
 * them. Runs at least once for each event, as {@link Handler} does. An exception means a retry of
 * every one, by the {@link RetryPolicy} and its own attempts.
 *
 * <p>A batch waits for nobody: it is what is claimed and not begun, at least one event and at most
 * as many as were asked for, in the order in which they are due.
 */
@FunctionalInterface
public interface BatchHandler<P> {
  void handle(List<BatchItem<P>> items) throws Exception;

  /** As {@link BatchHandler}, for code that says what shall become of each event. */
  @FunctionalInterface
  interface WithOutcomes<P> {
    /**
     * Answers as many outcomes as there are items, in their order; any other answer is a failure of
     * every one.
     */
    List<Outcome> handle(List<BatchItem<P>> items) throws Exception;
  }
}
