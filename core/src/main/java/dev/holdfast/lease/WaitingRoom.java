package dev.holdfast.lease;

import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where this process waits for leases: a queue for each key, and one subscription for all of them,
 * for as long as somebody waits and a little longer. Thread-safe.
 */
final class WaitingRoom implements LeaseStore.Listener {
  private static final Logger LOG = LoggerFactory.getLogger(Leases.class);
  private static final long LINGER_NANOS = TimeUnit.SECONDS.toNanos(5);
  private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final LeaseStore store;
  private final Keeper keeper;
  private final BiConsumer<LeaseKey, @Nullable UUID> revoked;
  private final ConcurrentHashMap<LeaseKey, LocalQueue> queues = new ConcurrentHashMap<>();
  private volatile LeaseStore.@Nullable Subscription subscription;
  private boolean closing;
  private long subscribeNotBefore = System.nanoTime();

  WaitingRoom(LeaseStore store, Keeper keeper, BiConsumer<LeaseKey, @Nullable UUID> revoked) {
    this.store = store;
    this.keeper = keeper;
    this.revoked = revoked;
  }

  void join(Waiter waiter) {
    queues.compute(
        waiter.target().key(),
        (key, known) -> {
          LocalQueue queue = known == null ? new LocalQueue() : known;
          queue.add(waiter);
          return queue;
        });
  }

  /**
   * @param look when the next one of this process shall ask the store
   */
  void leave(Waiter waiter, long look) {
    queues.computeIfPresent(
        waiter.target().key(),
        (key, queue) -> {
          queue.remove(waiter, look);
          return queue.isEmpty() ? null : queue;
        });
    if (subscription != null && queues.isEmpty()) {
      endSubscriptionLater();
    }
  }

  /** Null where nobody waits for it here. */
  @Nullable LocalQueue queue(LeaseKey key) {
    return queues.get(key);
  }

  /** Whether releases elsewhere are told here; begins to listen where it does not yet. */
  boolean hears() {
    LeaseStore.Subscription now = subscription;
    if (now == null) {
      now = subscribe();
    }
    return now != null && now.hears();
  }

  private synchronized LeaseStore.@Nullable Subscription subscribe() {
    if (subscription == null && System.nanoTime() - subscribeNotBefore >= 0) {
      try {
        subscription = store.subscribe(this);
      } catch (RuntimeException e) {
        LOG.debug("releases are not heard, asking instead", e);
        subscribeNotBefore = System.nanoTime() + PAUSE_NANOS;
      }
    }
    return subscription;
  }

  private synchronized void endSubscriptionLater() {
    if (!closing) {
      closing = true;
      keeper.at(System.nanoTime() + LINGER_NANOS, this::endSubscription);
    }
  }

  private synchronized void endSubscription() {
    closing = false;
    LeaseStore.Subscription now = subscription;
    if (now != null && queues.isEmpty()) {
      subscription = null;
      now.close();
    }
  }

  @Override
  public void released(LeaseKey key, @Nullable UUID next) {
    LocalQueue queue = queues.get(key);
    if (queue != null) {
      queue.tell(next);
    }
  }

  @Override
  public void revoked(LeaseKey key, @Nullable UUID owner) {
    released(key, null);
    revoked.accept(key, owner);
  }

  @Override
  public void missed() {
    queues.values().forEach(queue -> queue.tell(null));
  }
}
