package dev.holdfast.event;

import dev.holdfast.internal.Require;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.function.Function;

/**
 * The options of an {@link EventHandler}.
 *
 * @param immediate whether each outcome is stored at once, not in batches
 * @param maxCrashes empty for what {@link Worker.Builder#maxCrashes} says
 */
record HandlerOptions(
    RetryPolicy retries,
    Duration timeout,
    boolean immediate,
    OptionalInt maxCrashes,
    List<FailureRule> rules) {
  static final HandlerOptions DEFAULTS =
      new HandlerOptions(
          RetryPolicy.standard(), Duration.ofMinutes(5), false, OptionalInt.empty(), List.of());

  private static final int NO_LIMIT = Integer.MAX_VALUE;

  /** Another outcome than a retry for failures of one type. */
  record FailureRule(Class<? extends Throwable> type, Function<Throwable, Outcome> outcome) {}

  HandlerOptions {
    Require.notNull(retries, "policy");
    Require.between(timeout, Duration.ofMillis(1), Duration.ofDays(365), "timeout");
  }

  HandlerOptions retries(RetryPolicy policy) {
    return new HandlerOptions(policy, timeout, immediate, maxCrashes, rules);
  }

  HandlerOptions timeout(Duration limit) {
    return new HandlerOptions(retries, limit, immediate, maxCrashes, rules);
  }

  HandlerOptions immediately() {
    return new HandlerOptions(retries, timeout, true, maxCrashes, rules);
  }

  HandlerOptions maxCrashes(int most) {
    Require.between(most, 1, 1000, "maxCrashes");
    return new HandlerOptions(retries, timeout, immediate, OptionalInt.of(most), rules);
  }

  HandlerOptions withoutCrashLimit() {
    return new HandlerOptions(retries, timeout, immediate, OptionalInt.of(NO_LIMIT), rules);
  }

  HandlerOptions rule(FailureRule rule) {
    List<FailureRule> more = new ArrayList<>(rules);
    more.add(rule);
    return new HandlerOptions(retries, timeout, immediate, maxCrashes, List.copyOf(more));
  }

  boolean hasCrashLimit() {
    return maxCrashes.orElse(0) != NO_LIMIT;
  }

  /** What a failure of this attempt, the first being 1, means. */
  Outcome after(Throwable failure, int attempt) {
    for (FailureRule rule : rules) {
      if (rule.type().isInstance(failure)) {
        return Require.notNull(
            rule.outcome().apply(failure), "the outcome for a " + rule.type().getName());
      }
    }
    return retries.after(failure, attempt);
  }
}
