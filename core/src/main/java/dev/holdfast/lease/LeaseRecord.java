package dev.holdfast.lease;

import java.time.Duration;
import java.util.List;

/**
 * How a lease is at a moment: for operators to look at, not to decide by.
 *
 * @param token the newest token that was given out
 * @param holders who holds it; more than one only where it is shared
 * @param waiters who waits for it, as far as the store knows; where several wait without a queue,
 *     they may be told as one
 */
public record LeaseRecord(LeaseKey key, long token, List<Holder> holders, List<Waiter> waiters) {
  public LeaseRecord {
    holders = List.copyOf(holders);
    waiters = List.copyOf(waiters);
  }

  /** One holder: who, with which token, how much of it, and for how long yet. */
  public record Holder(String who, long token, int permits, Duration remaining) {}

  /** One that waits; it counts as gone when the rest of the time passes without a sign of it. */
  public record Waiter(String who, Duration remaining) {}
}
