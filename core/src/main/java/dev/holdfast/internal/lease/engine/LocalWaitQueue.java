package dev.holdfast.internal.lease.engine;

import java.util.ArrayDeque;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The waiters of this process for one key. The first of them asks the store for all of them;
 * waiters whose order the store keeps ask for themselves. Thread-safe.
 */
final class LocalWaitQueue {
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
