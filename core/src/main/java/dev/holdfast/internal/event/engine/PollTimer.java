package dev.holdfast.internal.event.engine;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * When the claimer of a queue looks through it: when somebody says that there is something, when an
 * event comes due, and from time to time all the same. Anybody may wake it; the rest is for the
 * thread that claims.
 */
final class PollTimer {
  /** A little longer than the while in which an announcer announces once. */
  private static final long ANNOUNCED_NANOS = TimeUnit.MILLISECONDS.toNanos(30);

  /** How much later others may commit what they did not announce, and still be found soon. */
  private static final long MAX_COMMIT_NANOS = TimeUnit.SECONDS.toNanos(2);

  private static final Duration WHEN_HEARING = Duration.ofSeconds(5);

  private final BooleanSupplier hears;
  private final Duration poll;
  private final Semaphore woken = new Semaphore(0);
  private volatile long heardNanos = System.nanoTime() - MAX_COMMIT_NANOS;
  private volatile boolean asked = true;
  private long nextNanos = System.nanoTime();

  PollTimer(BooleanSupplier hears, Duration poll) {
    this.hears = hears;
    this.poll = poll;
  }

  /** There may be something to claim anywhere in the queue. */
  void wake() {
    asked = true;
    nudge();
  }

  /** There is something to do for whoever claims, which need not be a look. */
  void nudge() {
    if (woken.availablePermits() == 0) {
      woken.release();
    }
  }

  /** Somebody has announced an event, and announces no other for a while. */
  void heard() {
    heardNanos = System.nanoTime();
    wake();
  }

  boolean isTime() {
    return asked || nextNanos - System.nanoTime() <= 0;
  }

  /** Whatever is said from now on, the look that begins may miss. */
  void begin() {
    asked = false;
    nextNanos = System.nanoTime();
  }

  /** Waits for a nudge, or until it is time. */
  void await() throws InterruptedException {
    await(Math.max(0, nextNanos - System.nanoTime()), TimeUnit.NANOSECONDS);
  }

  /** Waits for a nudge. */
  void await(long most, TimeUnit unit) throws InterruptedException {
    woken.tryAcquire(most, unit);
  }

  /** After a look that has left nothing to claim: when is the next one? */
  void rest(EventClaimer claimer) {
    nextNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millisUntilMore(claimer));
  }

  private long millisUntilMore(EventClaimer claimer) {
    Duration longest = hears.getAsBoolean() ? WHEN_HEARING : poll;
    Optional<Duration> heldBack = claimer.heldBack();
    if (heldBack.isPresent()) {
      return Math.min(heldBack.get().toMillis(), longest.toMillis()) + 1;
    }
    long millis = Math.max(0, claimer.untilNextDueSinceClaim(longest).toMillis()) + 1;
    long sinceHeard = System.nanoTime() - heardNanos;
    if (sinceHeard < MAX_COMMIT_NANOS) {
      // others that were not announced for this one's sake may commit much later than it
      long again = Math.max(ANNOUNCED_NANOS - sinceHeard, sinceHeard);
      return Math.min(millis, TimeUnit.NANOSECONDS.toMillis(again) + 1);
    }
    // not all at the same moment, after something has held up all of them
    return millis < longest.toMillis()
        ? millis
        : millis - ThreadLocalRandom.current().nextLong(millis / 5);
  }
}
