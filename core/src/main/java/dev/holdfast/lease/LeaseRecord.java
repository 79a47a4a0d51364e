package dev.holdfast.lease;

import java.time.Duration;
import java.util.List;

/**
 * The state of a lease at a moment, for operators. Do not use it for decisions.
 *
 * @param token the newest token that was granted
 * @param holders the current holders; more than one only for readers and semaphores
 * @param waiters the waiters that the store knows; several waiters that are not queued may appear
 *     as one
 */
public record LeaseRecord(LeaseKey key, long token, List<Holder> holders, List<Waiter> waiters) {
  public LeaseRecord {
    holders = List.copyOf(holders);
    waiters = List.copyOf(waiters);
  }

  /** One holder: its instance, token, permits, and the remaining time of its lease. */
  public record Holder(String instanceName, long token, int permits, Duration remaining) {}

  /** One waiter: its instance, and how long its registration lasts unless it is repeated. */
  public record Waiter(String instanceName, Duration remaining) {}
}
