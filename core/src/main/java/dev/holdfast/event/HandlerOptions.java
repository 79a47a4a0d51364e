package dev.holdfast.event;

import dev.holdfast.internal.Require;
import java.time.Duration;

/**
 * How events of one type are handled, beside the handler itself. By default with the {@link
 * RetryPolicy#standard()}, at most 5 minutes, completed in batches. Immutable and thread-safe.
 */
public record HandlerOptions(RetryPolicy retries, Duration timeout, Completion completion) {
  /** When the end of an event is stored. */
  public enum Completion {
    /** Together with others, within milliseconds: fast. A crash in between repeats them. */
    BATCHED,
    /** At once, before the next event of the same thread begins. */
    IMMEDIATE
  }

  public HandlerOptions {
    Require.notNull(retries, "retries");
    Require.between(timeout, Duration.ofMillis(1), Duration.ofDays(365), "timeout");
    Require.notNull(completion, "completion");
  }

  public static HandlerOptions standard() {
    return new HandlerOptions(RetryPolicy.standard(), Duration.ofMinutes(5), Completion.BATCHED);
  }

  public HandlerOptions retries(RetryPolicy policy) {
    return new HandlerOptions(policy, timeout, completion);
  }

  /**
   * After this time the handler is asked to stop, by its context and an interrupt: what it throws
   * then is a failed attempt, and so is a handler in transaction that returns too late, which is
   * rolled back. Any other handler that returns has done what it did, and its outcome counts, with
   * a warning. One that does not come back within five more seconds loses its event, and whatever
   * it answers later is refused.
   */
  public HandlerOptions timeout(Duration limit) {
    return new HandlerOptions(retries, limit, completion);
  }

  public HandlerOptions completion(Completion mode) {
    return new HandlerOptions(retries, timeout, mode);
  }
}
