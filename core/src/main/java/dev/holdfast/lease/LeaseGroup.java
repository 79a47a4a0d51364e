package dev.holdfast.lease;

import dev.holdfast.LeaseLostException;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

/**
 * Several leases that were acquired all or none, in the order of their keys, so that two groups
 * never wait for each other. Thread-safe.
 */
public interface LeaseGroup extends AutoCloseable {
  /** The leases in the order of their keys. */
  List<Lease> leases();

  /**
   * The exclusive lease of this name.
   *
   * @throws dev.holdfast.InvalidArgumentException if the group does not have it
   */
  Lease get(String name);

  /**
   * The lease of this key.
   *
   * @throws dev.holdfast.InvalidArgumentException if the group does not have it
   */
  Lease get(LeaseKey key);

  /** The remaining time of the lease that expires first. */
  Duration remaining();

  /**
   * Checks that all leases are held for at least this long.
   *
   * @throws LeaseLostException if one is not
   */
  void ensureValid(Duration margin);

  /** Runs {@code action} for each lease that is lost; see {@link Lease#onLost}. */
  void onLost(Consumer<LeaseLostException> action);

  /**
   * Releases all leases, the last one first. Returns {@code LOST} if at least one was lost. If the
   * store fails for one lease, the others are released nevertheless.
   */
  Lease.ReleaseResult release();

  /**
   * Releases all leases.
   *
   * @throws LeaseLostException if one was lost before
   */
  @Override
  void close();
}
