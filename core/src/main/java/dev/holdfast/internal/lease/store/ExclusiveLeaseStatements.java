package dev.holdfast.internal.lease.store;

import dev.holdfast.lease.LeaseKey;
import dev.holdfast.lease.spi.LeaseStore.AcquireResult;
import dev.holdfast.lease.spi.LeaseStore.Ownership;
import dev.holdfast.lease.spi.LeaseStore.ReleaseResult;
import dev.holdfast.lease.spi.LeaseStore.Request;
import dev.holdfast.lease.spi.LeaseStore.Successor;
import java.time.Duration;
import java.util.OptionalLong;

/** The statements of exclusive leases, one row each, on one database. */
interface ExclusiveLeaseStatements {
  AcquireResult acquire(Request request);

  boolean renew(Ownership ownership, Duration duration);

  ReleaseResult release(Ownership ownership);

  ReleaseResult handOver(Ownership ownership, Successor successor);

  OptionalLong forceRelease(LeaseKey key);

  /** Removes the registration of an instance, if others would let it go first because of it. */
  void cancelWait(LeaseKey key, String instanceName);
}
