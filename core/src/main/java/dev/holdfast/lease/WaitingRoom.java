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

  private static final long BEGINNING_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** Then whoever it was offered to has not taken it. */
  private static final long OTHERS_FIRST_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private final LeaseStore store;
  private final String holder;
  private final Keeper keeper;
  private final BiConsumer<LeaseKey, @Nullable UUID> revoked;
  private final ConcurrentHashMap<LeaseKey, LocalQueue> queues = new ConcurrentHashMap<>();
  private volatile LeaseStore.@Nullable Subscription subscription;
  private boolean closing;
  private volatile long subscribedAt;
  private long subscribeNotBefore = System.nanoTime();

  WaitingRoom(
      LeaseStore store,
      String holder,
      Keeper keeper,
      BiConsumer<LeaseKey, @Nullable UUID> revoked) {
    this.store = store;
    this.holder = holder;
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
    LeaseStore.Subscription now = subscribed();
    return now != null && now.hears();
  }

  private LeaseStore.@Nullable Subscription subscribed() {
    LeaseStore.Subscription now = subscription;
    return now == null ? subscribe() : now;
  }

  /** Whether a subscription has just begun, and has not heard anything yet. */
  boolean isAboutToHear() {
    return canHear() && System.nanoTime() - subscribedAt < BEGINNING_NANOS;
  }

  /** Whether those who wait are told at all; begins to listen where it does not yet. */
  boolean canHear() {
    LeaseStore.Subscription now = subscribed();
    return now != null && now.canHear();
  }

  private synchronized LeaseStore.@Nullable Subscription subscribe() {
    if (subscription == null && System.nanoTime() - subscribeNotBefore >= 0) {
      try {
        subscribedAt = System.nanoTime();
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
  public void offered(LeaseKey key, String process) {
    LocalQueue queue = queues.get(key);
    if (queue != null && process.equals(holder)) {
      queue.tell(null);
    } else if (queue != null) {
      queue.tellLater(OTHERS_FIRST_NANOS);
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
