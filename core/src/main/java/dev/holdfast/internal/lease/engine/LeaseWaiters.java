package dev.holdfast.internal.lease.engine;

import dev.holdfast.lease.LeaseKey;
import dev.holdfast.lease.Leases;
import dev.holdfast.lease.spi.LeaseStore;
import java.util.ArrayDeque;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The waiters of this process: a queue for each key, and one subscription for all of them, which
 * lasts a little longer than the last waiter. Thread-safe.
 */
final class LeaseWaiters implements LeaseStore.Listener {
  private static final Logger LOG = LoggerFactory.getLogger(Leases.class);
  private static final long LINGER_NANOS = TimeUnit.SECONDS.toNanos(5);
  private static final long RETRY_DELAY_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long STARTING_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** After this time, the instance that an offer was for has not accepted it. */
  private static final long OFFER_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private final LeaseStore store;
  private final String instanceName;
  private final LeaseExecutors executors;
  private final BiConsumer<LeaseKey, @Nullable UUID> revoked;
  private final ConcurrentHashMap<LeaseKey, WaitQueue> queues = new ConcurrentHashMap<>();
  private volatile LeaseStore.@Nullable Subscription subscription;
  private boolean closing;
  private volatile long subscribedAt;
  private long subscribeNotBefore = System.nanoTime();

  LeaseWaiters(
      LeaseStore store,
      String instanceName,
      LeaseExecutors executors,
      BiConsumer<LeaseKey, @Nullable UUID> revoked) {
    this.store = store;
    this.instanceName = instanceName;
    this.executors = executors;
    this.revoked = revoked;
  }

  void join(Waiter waiter) {
    queues.compute(
        waiter.target().key(),
        (key, known) -> {
          WaitQueue queue = known == null ? new WaitQueue() : known;
          queue.add(waiter);
          return queue;
        });
  }

  /**
   * @param nextAsk when the next waiter of this process should ask the store
   */
  void leave(Waiter waiter, long nextAsk) {
    queues.computeIfPresent(
        waiter.target().key(),
        (key, queue) -> {
          queue.remove(waiter, nextAsk);
          return queue.isEmpty() ? null : queue;
        });
    if (subscription != null && queues.isEmpty()) {
      endSubscriptionLater();
    }
  }

  /** Returns null if no thread of this process waits for the lease. */
  @Nullable WaitQueue queue(LeaseKey key) {
    return queues.get(key);
  }

  /** Whether notifications arrive here; subscribes if necessary. */
  boolean isNotified() {
    LeaseStore.Subscription now = subscribed();
    return now != null && now.isActive();
  }

  private LeaseStore.@Nullable Subscription subscribed() {
    LeaseStore.Subscription now = subscription;
    return now == null ? subscribe() : now;
  }

  /** Whether the subscription has just started and may not be active yet. */
  boolean isSubscribing() {
    return isSupported() && System.nanoTime() - subscribedAt < STARTING_NANOS;
  }

  /** Whether the store can notify waiters at all; subscribes if necessary. */
  boolean isSupported() {
    LeaseStore.Subscription now = subscribed();
    return now != null && now.isSupported();
  }

  private synchronized LeaseStore.@Nullable Subscription subscribe() {
    if (subscription == null && System.nanoTime() - subscribeNotBefore >= 0) {
      try {
        subscribedAt = System.nanoTime();
        subscription = store.subscribe(this);
      } catch (RuntimeException e) {
        LOG.debug("could not subscribe to releases of leases; polling", e);
        subscribeNotBefore = System.nanoTime() + RETRY_DELAY_NANOS;
      }
    }
    return subscription;
  }

  private synchronized void endSubscriptionLater() {
    if (!closing) {
      closing = true;
      executors.at(System.nanoTime() + LINGER_NANOS, this::endSubscription);
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
  public void onReleased(LeaseKey key, @Nullable UUID next) {
    WaitQueue queue = queues.get(key);
    if (queue != null) {
      queue.wake(next);
    }
  }

  @Override
  public void onOffered(LeaseKey key, String instance) {
    WaitQueue queue = queues.get(key);
    if (queue != null && instance.equals(instanceName)) {
      queue.wake(null);
    } else if (queue != null) {
      queue.wakeLater(OFFER_NANOS);
    }
  }

  @Override
  public void onRevoked(LeaseKey key, @Nullable UUID ownerId) {
    onReleased(key, null);
    revoked.accept(key, ownerId);
  }

  @Override
  public void onResync() {
    queues.values().forEach(queue -> queue.wake(null));
  }

  /**
   * The waiters of this process for one key. The first of them asks the store for all of them;
   * waiters whose order the store keeps ask for themselves. Thread-safe.
   */
  static final class WaitQueue {
    /** How often a lease is handed over in this process while other processes wait for it. */
    private static final int MAX_HAND_OVERS = 16;

    private final ArrayDeque<Waiter> waiters = new ArrayDeque<>();
    private int handOvers;

    synchronized void add(Waiter waiter) {
      boolean leads = waiters.stream().allMatch(Waiter::queued);
      waiters.add(waiter);
      if (leads && !waiter.queued()) {
        waiter.becomeFirst(System.nanoTime());
      }
    }

    /**
     * Removes a waiter that has the lease or has stopped waiting.
     *
     * @param nextAsk when the next waiter should ask the store
     */
    synchronized void remove(Waiter waiter, long nextAsk) {
      Waiter before = lead();
      waiters.remove(waiter);
      Waiter after = lead();
      if (after != null && after != before) {
        after.becomeFirst(nextAsk);
      }
      if (waiter.queued()) {
        // if there is room for one, there may be room for the next
        wakeFirst();
      }
    }

    private @Nullable Waiter lead() {
      for (Waiter waiter : waiters) {
        if (!waiter.queued()) {
          return waiter;
        }
      }
      return null;
    }

    synchronized boolean isEmpty() {
      return waiters.isEmpty();
    }

    synchronized int size() {
      return waiters.size();
    }

    /** Reserves the waiter to hand over to; null if there is none, or the store keeps the order. */
    synchronized @Nullable Waiter reserve() {
      for (Waiter waiter : waiters) {
        if (waiter.queued()) {
          return null;
        }
        if (waiter.reserve()) {
          return waiter;
        }
      }
      return null;
    }

    /** Whether it is the turn of other processes, if they wait. */
    synchronized boolean isOthersTurn() {
      return handOvers >= MAX_HAND_OVERS;
    }

    synchronized void handedOver() {
      handOvers++;
    }

    synchronized void released() {
      handOvers = 0;
    }

    /** Wakes the waiter that has waited longest here. */
    synchronized void wakeFirst() {
      Waiter longest = waiters.peekFirst();
      if (longest != null) {
        longest.wake();
      }
    }

    /** Wakes the waiter that asks for all later, so that other processes have their turn first. */
    synchronized void wakeLater(long nanos) {
      Waiter lead = lead();
      if (lead != null) {
        lead.wakeLater(nanos);
      }
    }

    /** Wakes the waiter whose turn it is, or all if that is not known. */
    synchronized void wake(@Nullable UUID next) {
      for (Waiter waiter : waiters) {
        if (!waiter.queued() || next == null || waiter.ownerId().equals(next)) {
          waiter.wake();
        }
      }
    }
  }
}
