package dev.holdfast.internal.lease.engine;

import dev.holdfast.lease.LeaseRequest;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A thread of this process that waits for a lease. The thread that releases the lease may hand it
 * over.
 *
 * <pre>{@code
 * WAITING --reserve--> RESERVED --hand over--> GRANTED
 *    ^                    |
 *    \----unreserve-------/
 * WAITING, RESERVED --leave--> HOLDS if the store has granted the lease itself, else LEFT
 * }</pre>
 */
final class Waiter {
  private enum State {
    WAITING,
    RESERVED,
    GRANTED,
    CHANGING,
    HOLDS,
    LEFT
  }

  private static final long INITIAL_DELAY_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
  private static final long FAR_NANOS = TimeUnit.DAYS.toNanos(10_000);
  private static final long MAX_DELAY_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  private final LeaseRequest.Target target;
  private final Duration duration;
  private final boolean queued;
  private final Thread thread = Thread.currentThread();
  private final AtomicReference<State> state = new AtomicReference<>(State.WAITING);
  private volatile UUID ownerId = OwnerIds.next();
  private volatile boolean woken = true;
  private volatile boolean first;
  private volatile boolean inDoubt;
  private final AtomicLong nextAsk;
  private volatile @Nullable Grant grant;
  private long delay = INITIAL_DELAY_NANOS;

  Waiter(LeaseRequest.Target target, Duration duration, boolean queued) {
    this.target = target;
    this.duration = duration;
    this.queued = queued;
    this.first = queued;
    this.nextAsk = new AtomicLong(System.nanoTime());
  }

  LeaseRequest.Target target() {
    return target;
  }

  Duration duration() {
    return duration;
  }

  UUID ownerId() {
    return ownerId;
  }

  /** Whether the store keeps the order, so that each waiter asks for itself. */
  boolean queued() {
    return queued;
  }

  /** From now on it asks the store for all waiters, at this moment or when it is woken. */
  void becomeFirst(long moment) {
    // the waiter before this one has acted on earlier notifications
    woken = false;
    nextAsk.set(moment);
    first = true;
    LockSupport.unpark(thread);
  }

  /** Wakes it, because something may have changed. */
  void wake() {
    woken = true;
    LockSupport.unpark(thread);
  }

  /** Wakes it later, so that other processes have their turn first. */
  void wakeLater(long nanos) {
    long moment = System.nanoTime() + nanos;
    if (nextAsk.accumulateAndGet(moment, Waiter::earlier) == moment) {
      LockSupport.unpark(thread);
    }
  }

  /** Whether it is time to ask the store; a later notification counts for the next time. */
  boolean shouldAsk() {
    long now = System.nanoTime();
    if (!first || (!woken && nextAsk.get() - now > 0)) {
      return false;
    }
    woken = false;
    nextAsk.set(now + FAR_NANOS);
    return true;
  }

  /** It asks again at this moment, or earlier if it was woken while it asked. */
  void askAt(long moment) {
    nextAsk.accumulateAndGet(moment, Waiter::earlier);
  }

  private static long earlier(long one, long other) {
    return one - other < 0 ? one : other;
  }

  /** A delay that grows each time, with jitter. */
  long nextDelay(int waiters) {
    long current = delay;
    delay = Math.min(MAX_DELAY_NANOS, delay * 2);
    long jitter = ThreadLocalRandom.current().nextLong(current / 2 + 1);
    return (current / 2 + jitter) * Math.max(1, waiters);
  }

  /** Sleeps until it is woken, granted, or it is time to ask, but not past the end. */
  void sleep(long end) {
    // a hand-over wakes this thread, but perhaps while it waited for the response of the store
    if ((first && woken) || state.get() == State.GRANTED) {
      return;
    }
    long now = System.nanoTime();
    long maxSleep = end - now;
    LockSupport.parkNanos(this, first ? Math.min(maxSleep, nextAsk.get() - now) : maxSleep);
  }

  /** Reserves it for a hand-over. */
  boolean reserve() {
    return state.compareAndSet(State.WAITING, State.RESERVED);
  }

  /** Ends the reservation: the lease was not handed over. */
  void unreserve() {
    state.compareAndSet(State.RESERVED, State.WAITING);
  }

  /**
   * Ends the reservation after the response to the hand-over was lost. The waiter asks the store as
   * the same owner, and so finds out. If it stops waiting before that, the lease that it may have
   * is released; if it {@linkplain #hasLeft() has left} already, the caller releases it.
   */
  void unreserveInDoubt() {
    inDoubt = true;
    unreserve();
    wake();
  }

  /** Whether it has stopped waiting without the lease. */
  boolean hasLeft() {
    return state.get() == State.LEFT;
  }

  /** Whether it may have got the lease in a hand-over whose response was lost. */
  boolean isInDoubt() {
    return inDoubt;
  }

  /** Hands the lease over; false if it has left, so that the grant has no holder. */
  boolean handOver(Grant handed) {
    grant = handed;
    boolean taken = state.compareAndSet(State.RESERVED, State.GRANTED);
    LockSupport.unpark(thread);
    // its own request to the store returned the same grant
    return taken || state.get() == State.HOLDS;
  }

  /** The lease that was handed over, or null. */
  @Nullable Grant handed() {
    return state.get() == State.GRANTED ? grant : null;
  }

  /**
   * Continues to wait after a grant that came too late, with a new owner id: a response to the old
   * one must not count as the next grant.
   */
  void waitAnew() {
    while (!state.compareAndSet(State.WAITING, State.CHANGING)
        && !state.compareAndSet(State.GRANTED, State.CHANGING)) {
      // another thread is about to hand over to the old owner
      LockSupport.parkNanos(this, INITIAL_DELAY_NANOS);
    }
    ownerId = OwnerIds.next();
    state.set(State.WAITING);
    wake();
  }

  /** It has the lease; no hand-over is possible any more. */
  void hold() {
    state.set(State.HOLDS);
  }

  /** Stops waiting; returns the lease that was handed over in the last moment, or null. */
  @Nullable Grant leave() {
    while (true) {
      State now = state.get();
      if (now == State.GRANTED) {
        return grant;
      }
      if (state.compareAndSet(now, State.LEFT)) {
        return null;
      }
    }
  }
}
