package dev.holdfast.lease;

import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * One that waits for a lease in this process, and may be handed it by the thread that releases it.
 *
 * <pre>{@code
 * WAITING --claim--> CLAIMED --hand over--> GRANTED
 *    ^                  |
 *    \--let go----------/
 * WAITING, CLAIMED --leave--> HOLDS where the store has granted it by itself, LEFT where not
 * }</pre>
 */
final class Waiter {
  private enum State {
    WAITING,
    CLAIMED,
    GRANTED,
    CHANGING,
    HOLDS,
    LEFT
  }

  private static final long FIRST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
  private static final long FAR_NANOS = TimeUnit.DAYS.toNanos(10_000);
  private static final long LONGEST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  private final LeaseTarget target;
  private final Duration lease;
  private final boolean queued;
  private final Thread thread = Thread.currentThread();
  private final AtomicReference<State> state = new AtomicReference<>(State.WAITING);
  private volatile UUID owner = Owners.next();
  private volatile boolean told = true;
  private volatile boolean first;
  private volatile boolean inDoubt;
  private final AtomicLong nextLook;
  private volatile @Nullable Grant grant;
  private long pause = FIRST_PAUSE_NANOS;

  Waiter(LeaseTarget target, Duration lease, boolean queued) {
    this.target = target;
    this.lease = lease;
    this.queued = queued;
    this.first = queued;
    this.nextLook = new AtomicLong(System.nanoTime());
  }

  LeaseTarget target() {
    return target;
  }

  Duration lease() {
    return lease;
  }

  UUID owner() {
    return owner;
  }

  /** Whether its order is kept by the store, so that each one asks for itself. */
  boolean queued() {
    return queued;
  }

  /** From now on it asks the store for all that wait here, not before this moment unless told. */
  void becomeFirst(long look) {
    // what it was told before, the one before it has acted on
    told = false;
    nextLook.set(look);
    first = true;
    LockSupport.unpark(thread);
  }

  /** Something may have changed. */
  void tell() {
    told = true;
    LockSupport.unpark(thread);
  }

  /** Something may change, but others shall have their chance first. */
  void tellLater(long nanos) {
    long look = System.nanoTime() + nanos;
    if (nextLook.accumulateAndGet(look, Waiter::earlier) == look) {
      LockSupport.unpark(thread);
    }
  }

  /** Whether it is time to ask the store; what it is told from then on is for the next time. */
  boolean looks() {
    long now = System.nanoTime();
    if (!first || (!told && nextLook.get() - now > 0)) {
      return false;
    }
    told = false;
    nextLook.set(now + FAR_NANOS);
    return true;
  }

  /** It asks again at this moment, or earlier where it was told so while it asked. */
  void nextLook(long moment) {
    nextLook.accumulateAndGet(moment, Waiter::earlier);
  }

  private static long earlier(long one, long other) {
    return one - other < 0 ? one : other;
  }

  /** A pause that grows each time, and differs from that of others. */
  long growingPause(int others) {
    long now = pause;
    pause = Math.min(LONGEST_PAUSE_NANOS, pause * 2);
    long spread = ThreadLocalRandom.current().nextLong(now / 2 + 1);
    return (now / 2 + spread) * Math.max(1, others);
  }

  /** Sleeps until told, granted, or it is time for a look, but not past the end. */
  void sleep(long end) {
    // whoever handed over has woken this thread, but perhaps while it waited for the store's answer
    if ((first && told) || state.get() == State.GRANTED) {
      return;
    }
    long now = System.nanoTime();
    long most = end - now;
    LockSupport.parkNanos(this, first ? Math.min(most, nextLook.get() - now) : most);
  }

  /** Whoever releases wants to hand over to this one. */
  boolean claim() {
    return state.compareAndSet(State.WAITING, State.CLAIMED);
  }

  /** It could not be handed over after all. */
  void letGo() {
    state.compareAndSet(State.CLAIMED, State.WAITING);
  }

  /**
   * The answer to the hand-over was lost. It asks by itself, as the same owner, and so finds out;
   * where it gives up without that, what it may have been handed is released; where it {@linkplain
   * #hasLeft() has given up} already, by the caller.
   */
  void letGoInDoubt() {
    inDoubt = true;
    letGo();
    tell();
  }

  /** Whether it has given up. */
  boolean hasLeft() {
    return state.get() == State.LEFT;
  }

  /** Whether it may have been handed the lease without anyone knowing. */
  boolean isInDoubt() {
    return inDoubt;
  }

  /** Hands over; false where it has left without it, and the grant is nobody's. */
  boolean handOver(Grant handed) {
    grant = handed;
    boolean taken = state.compareAndSet(State.CLAIMED, State.GRANTED);
    LockSupport.unpark(thread);
    // its own question to the store was answered with the same grant
    return taken || state.get() == State.HOLDS;
  }

  /** What it was handed, or null. */
  @Nullable Grant handed() {
    return state.get() == State.GRANTED ? grant : null;
  }

  /**
   * Goes on waiting after a grant that came too late, as another owner: what is on its way to the
   * old one must not be taken for the next grant.
   */
  void waitAnew() {
    while (!state.compareAndSet(State.WAITING, State.CHANGING)
        && !state.compareAndSet(State.GRANTED, State.CHANGING)) {
      // somebody is about to hand over to the old owner
      LockSupport.parkNanos(this, FIRST_PAUSE_NANOS);
    }
    owner = Owners.next();
    state.set(State.WAITING);
    tell();
  }

  /** It has the lease; nothing is to be handed over any more. */
  void hold() {
    state.set(State.HOLDS);
  }

  /** It waits no longer; answers what it was handed in the last moment, or null. */
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
