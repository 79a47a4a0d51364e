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

  /** A try whose answer was lost is repeated once, with the same successor. */
  ReleaseResult release(Hold hold) {
    LocalQueue queue = room.queue(hold.key());
    Waiter next = queue == null ? null : queue.claim();
    boolean freed =
        (queue == null || next == null) ? freedTwice(hold) : freedTwice(hold, queue, next);
    return freed ? ReleaseResult.RELEASED : ReleaseResult.WAS_LOST;
  }

  private boolean freedTwice(Hold hold) {
    try {
      return freed(hold);
    } catch (HoldfastException e) {
      if (!e.retryable()) {
        throw e;
      }
      return freed(hold);
    }
  }

  private boolean freed(Hold hold) {
    boolean released = !(store.release(hold, null) instanceof Freed.WasLost);
    LocalQueue since = room.queue(hold.key());
    if (released && since != null) {
      since.tellFirst();
    }
    return released;
  }

  private boolean freedTwice(Hold hold, LocalQueue queue, Waiter next) {
    Request request = new Request(next.target(), next.owner(), holder, next.lease(), null);
    Successor successor = new Successor(request, queue.isOthersTurn());
    try {
      return freed(hold, queue, next, successor);
    } catch (HoldfastException e) {
      if (!e.retryable()) {
        throw e;
      }
      Freed freed = store.release(hold, successor);
      if (freed instanceof Freed.HandedOver && next.hasLeft()) {
        releaseOrphan(request);
      }
      return !(freed instanceof Freed.WasLost);
    }
  }

  private void releaseOrphan(Request request) {
    orphans.release(
        new Hold(request.key(), request.owner()), System.nanoTime() + request.lease().toNanos());
  }

  private boolean freed(Hold hold, LocalQueue queue, Waiter next, Successor successor) {
    long sent = System.nanoTime();
    Freed freed;
    try {
      freed = store.release(hold, successor);
    } catch (RuntimeException | Error e) {
      // it asks by itself, as the same owner, and so finds out whether it was handed over
      next.letGoInDoubt();
      if (next.hasLeft()) {
        releaseOrphan(successor.next());
      }
      throw e;
    }
    if (freed instanceof Freed.HandedOver handed) {
      queue.handedOver();
      handOver(next, successor.next(), handed.token(), sent);
      return true;
    }
    queue.released();
    next.letGo();
    if (freed instanceof Freed.Released && successor.unlessOthersWait()) {
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
      release(grant.hold());
    }
  }
}
