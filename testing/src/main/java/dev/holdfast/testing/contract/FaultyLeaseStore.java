package dev.holdfast.testing.contract;

import dev.holdfast.StoreException;
import dev.holdfast.lease.Lease;
import dev.holdfast.lease.LeaseKey;
import dev.holdfast.lease.LeaseRecord;
import dev.holdfast.lease.spi.LeaseStore;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/** A store whose answers can be made to get lost or to come late. Thread-safe. */
final class FaultyLeaseStore implements LeaseStore {
  private final LeaseStore real;
  final AtomicInteger acquires = new AtomicInteger();
  final AtomicInteger renewals = new AtomicInteger();

  /** Those that the store has answered. */
  final AtomicInteger renewed = new AtomicInteger();

  final AtomicInteger releases = new AtomicInteger();
  final AtomicInteger subscriptions = new AtomicInteger();

  /** Called with the number of the step, from 1 on, before it has any effect. */
  volatile IntConsumer beforeAcquire = count -> {};

  volatile IntConsumer beforeRelease = count -> {};

  /** Called with the number of the step, from 1 on, when it has taken effect and nobody knows. */
  volatile IntConsumer afterAcquire = count -> {};

  volatile IntConsumer beforeRenewal = count -> {};

  /** Called with what is to be renewed, before it has any effect. */
  volatile Consumer<Ownership> beforeRenewalOf = hold -> {};

  volatile IntConsumer afterRelease = count -> {};

  FaultyLeaseStore(LeaseStore real) {
    this.real = real;
  }

  static StoreException lost() {
    return new StoreException("lease-store", "a step", "the cable was pulled", true, null);
  }

  @Override
  public AcquireResult acquire(Request request) {
    int count = acquires.incrementAndGet();
    beforeAcquire.accept(count);
    AcquireResult answer = real.acquire(request);
    afterAcquire.accept(count);
    return answer;
  }

  @Override
  public Lease.RenewResult renew(Ownership hold, Duration lease) {
    beforeRenewal.accept(renewals.incrementAndGet());
    beforeRenewalOf.accept(hold);
    Lease.RenewResult answer = real.renew(hold, lease);
    renewed.incrementAndGet();
    return answer;
  }

  @Override
  public ReleaseResult release(Ownership hold, @Nullable Successor successor) {
    int count = releases.incrementAndGet();
    beforeRelease.accept(count);
    ReleaseResult answer = real.release(hold, successor);
    afterRelease.accept(count);
    return answer;
  }

  @Override
  public void cancelWait(LeaseKey key, String holder) {
    real.cancelWait(key, holder);
  }

  @Override
  public OptionalLong forceRelease(LeaseKey key) {
    return real.forceRelease(key);
  }

  @Override
  public Optional<LeaseRecord> find(LeaseKey key) {
    return real.find(key);
  }

  @Override
  public List<LeaseRecord> list(String prefix, @Nullable LeaseKey after, int most) {
    return real.list(prefix, after, most);
  }

  @Override
  public Subscription subscribe(Listener listener) {
    subscriptions.incrementAndGet();
    return real.subscribe(listener);
  }

  @Override
  public int prune(Duration idleTime) {
    return real.prune(idleTime);
  }
}
