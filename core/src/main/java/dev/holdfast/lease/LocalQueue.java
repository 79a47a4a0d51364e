package dev.holdfast.lease;

import java.util.ArrayDeque;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Those who wait for one key in this process. The first of them asks the store for all; those whose
 * order the store keeps ask each for itself. Thread-safe.
 */
final class LocalQueue {
  /** So often the lease is handed over in this process while others wait for it elsewhere. */
  private static final int MOST_IN_A_ROW = 16;

  private final ArrayDeque<Waiter> waiters = new ArrayDeque<>();
  private int inARow;

  synchronized void add(Waiter waiter) {
    boolean leads = waiters.stream().allMatch(Waiter::queued);
    waiters.add(waiter);
    if (leads && !waiter.queued()) {
      waiter.becomeFirst(System.nanoTime());
    }
  }

  /**
   * Takes out one that has the lease, or has given up.
   *
   * @param look when the next one shall ask the store
   */
  synchronized void remove(Waiter waiter, long look) {
    Waiter before = lead();
    waiters.remove(waiter);
    Waiter after = lead();
    if (after != null && after != before) {
      after.becomeFirst(look);
    }
    if (waiter.queued()) {
      // where there is room for one, there may be room for the next
      tellFirst();
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

  /** The one to hand over to, claimed; null where there is none, or the order is the store's. */
  synchronized @Nullable Waiter claim() {
    for (Waiter waiter : waiters) {
      if (waiter.queued()) {
        return null;
      }
      if (waiter.claim()) {
        return waiter;
      }
    }
    return null;
  }

  /** Whether others, if there are any elsewhere, shall have their turn now. */
  synchronized boolean isOthersTurn() {
    return inARow >= MOST_IN_A_ROW;
  }

  synchronized void handedOver() {
    inARow++;
  }

  synchronized void released() {
    inARow = 0;
  }

  /** Tells the one that has waited longest here. */
  synchronized void tellFirst() {
    Waiter longest = waiters.peekFirst();
    if (longest != null) {
      longest.tell();
    }
  }

  /** Tells the one that asks for all, but others shall have their chance first. */
  synchronized void tellLater(long nanos) {
    Waiter lead = lead();
    if (lead != null) {
      lead.tellLater(nanos);
    }
  }

  /** Tells those who can do something about it: the one whose turn it is, or else all. */
  synchronized void tell(@Nullable UUID next) {
    for (Waiter waiter : waiters) {
      if (!waiter.queued() || next == null || waiter.owner().equals(next)) {
        waiter.tell();
      }
    }
  }
}
