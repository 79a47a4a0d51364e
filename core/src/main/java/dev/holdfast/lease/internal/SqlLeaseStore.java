package dev.holdfast.lease.internal;

import dev.holdfast.lease.LeaseKey;
import dev.holdfast.lease.LeaseKind;
import dev.holdfast.lease.LeaseRecord;
import dev.holdfast.lease.LeaseStore;
import dev.holdfast.lease.RenewResult;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Leases in tables. Ordinary ones are a row each, which one statement outside of any transaction
 * changes; those that are shared or have a queue are the matter of {@link QueuedLeases}.
 */
final class SqlLeaseStore implements LeaseStore {
  private final RowLeases rows;
  private final QueuedLeases queues;
  private final LeaseLook look;
  private final Hearing hearing;
  private final FenceRetention fence;

  SqlLeaseStore(
      RowLeases rows, QueuedLeases queues, LeaseLook look, Hearing hearing, FenceRetention fence) {
    this.rows = rows;
    this.queues = queues;
    this.look = look;
    this.hearing = hearing;
    this.fence = fence;
  }

  private static boolean isRow(LeaseKey key) {
    return key.kind() == LeaseKind.EXCLUSIVE;
  }

  @Override
  public Acquired acquire(Request request) {
    Waiting waiting = request.waiting();
    return isRow(request.key()) && (waiting == null || !waiting.queued())
        ? rows.acquire(request)
        : queues.acquire(request);
  }

  @Override
  public RenewResult renew(Hold hold, Duration lease) {
    boolean renewed = isRow(hold.key()) ? rows.renew(hold, lease) : queues.renewShared(hold, lease);
    return renewed ? RenewResult.RENEWED : RenewResult.LOST;
  }

  @Override
  public Freed release(Hold hold, @Nullable Successor successor) {
    if (!isRow(hold.key())) {
      return queues.releaseShared(hold);
    }
    Freed freed = successor == null ? rows.release(hold) : rows.handOver(hold, successor);
    if (!(freed instanceof Freed.WasLost)) {
      return freed;
    }
    Optional<Freed> before = look.freedBefore(hold, successor);
    if (before.isEmpty()) {
      // it may never have been more than a place in the queue
      queues.leave(hold);
    }
    return before.orElse(freed);
  }

  @Override
  public void withdraw(LeaseKey key, String holder) {
    rows.withdraw(key, holder);
  }

  @Override
  public OptionalLong forceRelease(LeaseKey key) {
    return isRow(key) ? rows.forceRelease(key) : queues.forceReleaseShared(key);
  }

  @Override
  public Optional<LeaseRecord> find(LeaseKey key) {
    return look.find(key);
  }

  @Override
  public List<LeaseRecord> list(String prefix, @Nullable LeaseKey after, int most) {
    return look.list(prefix, after, most);
  }

  @Override
  public Subscription subscribe(Listener listener) {
    return hearing.subscribe(listener);
  }

  @Override
  public int forget(Duration idle) {
    int forgotten = look.forget(idle);
    fence.pruneDaily();
    return forgotten;
  }
}
