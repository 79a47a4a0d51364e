package dev.holdfast.lease;

import dev.holdfast.HoldfastException;
import dev.holdfast.lease.LeaseStore.Freed;
import dev.holdfast.lease.LeaseStore.Hold;
import dev.holdfast.lease.LeaseStore.Request;
import dev.holdfast.lease.LeaseStore.Successor;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * How a lease is released: in the same step it is handed over to the next that waits in this
 * process, if there is one. After some times in a row others that wait elsewhere get their chance.
 */
final class Releasing {
  /** Where nobody is told, others ask so often at least. */
  private static final long OTHERS_ASK_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  /** Where they are told, it is theirs for a moment; whether they have taken it shows soon. */
  private static final long OTHERS_HEAR_NANOS = TimeUnit.MILLISECONDS.toNanos(4);

  private final LeaseStore store;
  private final String holder;
  private final WaitingRoom room;
  private final Orphans orphans;

  Releasing(LeaseStore store, String holder, WaitingRoom room, Orphans orphans) {
    this.store = store;
    this.holder = holder;
    this.room = room;
    this.orphans = orphans;
  }

  /**
   * @param valid whether it is still held, by what is known here: then an unknown outcome, and a
   *     repetition that finds it gone, mean that the first try has worked
   */
  ReleaseResult release(Hold hold, boolean valid) {
    try {
      return freed(hold) ? ReleaseResult.RELEASED : ReleaseResult.WAS_LOST;
    } catch (HoldfastException e) {
      if (!e.retryable()) {
        throw e;
      }
      return freed(hold) || valid ? ReleaseResult.RELEASED : ReleaseResult.WAS_LOST;
    }
  }

  private boolean freed(Hold hold) {
    LocalQueue queue = room.queue(hold.key());
    Waiter next = queue == null ? null : queue.claim();
    if (queue == null || next == null) {
      boolean released = !(store.release(hold, null) instanceof Freed.WasLost);
      LocalQueue since = room.queue(hold.key());
      if (released && since != null) {
        since.tellFirst();
      }
      return released;
    }
    return freed(hold, queue, next);
  }

  private boolean freed(Hold hold, LocalQueue queue, Waiter next) {
    Request request = new Request(next.target(), next.owner(), holder, next.lease(), null);
    boolean othersTurn = queue.isOthersTurn();
    long sent = System.nanoTime();
    Freed freed;
    try {
      freed = store.release(hold, new Successor(request, othersTurn));
    } catch (RuntimeException | Error e) {
      if (next.letGoInDoubt()) {
        orphans.release(
            new Hold(hold.key(), request.owner()), System.nanoTime() + request.lease().toNanos());
      }
      throw e;
    }
    if (freed instanceof Freed.HandedOver handed) {
      queue.handedOver();
      handOver(next, request, handed.token(), sent);
      return true;
    }
    queue.released();
    next.letGo();
    if (freed instanceof Freed.Released && othersTurn) {
      next.tellLater(room.canHear() ? OTHERS_HEAR_NANOS : OTHERS_ASK_NANOS);
    } else {
      next.tell();
    }
    return freed instanceof Freed.Released;
  }

  private void handOver(Waiter next, Request request, long token, long sent) {
    Duration lease = request.lease();
    Grant grant =
        new Grant(request.target(), request.owner(), lease, token, sent + lease.toNanos());
    if (!next.handOver(grant)) {
      freed(grant.hold());
    }
  }
}
