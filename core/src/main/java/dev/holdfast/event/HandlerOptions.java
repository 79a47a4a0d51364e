package dev.holdfast.event;

import dev.holdfast.internal.Require;
import java.time.Duration;
import java.util.OptionalInt;

/**
 * How events of one type are handled, beside the handler itself. By default with the {@link
 * RetryPolicy#standard()}, at most 5 minutes, completed in batches. Immutable and thread-safe.
 *
 * @param mostCrashes how many instances may crash one after the other while they handle an event
 *     before it fails; empty for what {@link Worker.Builder#mostCrashes} says
 */
public record HandlerOptions(
    RetryPolicy retries, Duration timeout, Completion completion, OptionalInt mostCrashes) {
  private static final int NO_LIMIT = Integer.MAX_VALUE;

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
    Require.notNull(mostCrashes, "mostCrashes");
  }

  public static HandlerOptions standard() {
    return new HandlerOptions(
        RetryPolicy.standard(), Duration.ofMinutes(5), Completion.BATCHED, OptionalInt.empty());
  }

  public HandlerOptions retries(RetryPolicy policy) {
    return new HandlerOptions(policy, timeout, completion, mostCrashes);
  }

  /**
   * After this time the handler is asked to stop, by its context and an interrupt: what it throws
   * then is a failed attempt, and so is a handler in transaction that returns too late, which is
   * rolled back. Any other handler that returns has done what it did, and its outcome counts, with
   * a warning. One that does not come back within five more seconds loses its event, and whatever
   * it answers later is refused.
   */
  public HandlerOptions timeout(Duration limit) {
    return new HandlerOptions(retries, limit, completion, mostCrashes);
  }

  public HandlerOptions completion(Completion mode) {
    return new HandlerOptions(retries, timeout, mode, mostCrashes);
  }

  /** Fails an event of this type after so many crashes, whatever the worker says of other types. */
  public HandlerOptions mostCrashes(int most) {
    return new HandlerOptions(
        retries,
        timeout,
        completion,
        OptionalInt.of(Require.between(most, 1, 1000, "mostCrashes")));
  }

  /**
   * Fails no event of this type because instances crashed while they handled it. For handlers that
   * cannot harm their process. Of several crashes in a row, only the first counts as an attempt.
   */
  public HandlerOptions withoutCrashLimit() {
    return new HandlerOptions(retries, timeout, completion, OptionalInt.of(NO_LIMIT));
  }

  boolean hasCrashLimit() {
    return mostCrashes.orElse(0) != NO_LIMIT;
  }
}
