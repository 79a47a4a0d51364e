package dev.holdfast.lease.internal;

import dev.holdfast.lease.LeaseKey;
import dev.holdfast.lease.LeaseStore.Acquired;
import dev.holdfast.lease.LeaseStore.Freed;
import dev.holdfast.lease.LeaseStore.Hold;
import dev.holdfast.lease.LeaseStore.Request;
import dev.holdfast.lease.LeaseStore.Successor;
import java.time.Duration;
import java.util.OptionalLong;

/** Leases that are a row each, as one database changes it. */
interface RowLeases {
  Acquired acquire(Request request);

  boolean renew(Hold hold, Duration lease);

  Freed release(Hold hold);

  Freed handOver(Hold hold, Successor successor);

  OptionalLong forceRelease(LeaseKey key);

  /** Takes back the mark of a process, where others let it go first because of it. */
  void withdraw(LeaseKey key, String holder);
}
