package dev.holdfast.cache;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongFieldUpdater;
import org.jspecify.annotations.Nullable;

/**
 * A value in the memory of this process, with its expiration times by the monotonic clock. Only the
 * time of the next refresh changes.
 */
final class LocalEntry<V> {
  @SuppressWarnings("rawtypes")
  private static final AtomicLongFieldUpdater<LocalEntry> NEXT_REFRESH =
      AtomicLongFieldUpdater.newUpdater(LocalEntry.class, "nextRefresh");

  private static final long REFRESH_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** Null where the loader has found none, and where it has failed. */
  final @Nullable V value;

  /** Why it could not be loaded; null where it could. */
  final @Nullable String error;

  /** Whether it is old, and fresh only in that it is not tried again yet, after an error. */
  final boolean again;

  /** Of the lease under which it was loaded; 0 where there was none. */
  final long token;

  /** Where to see whether it was invalidated, and what must stand there. */
  final int stripe;

  final int epoch;

  /** Until then there is nothing to think about. */
  final long calmUntil;

  /** Until then the store needs not be asked. */
  final long localUntil;

  final long freshUntil;
  final long staleUntil;
  final long keptUntil;
  final long loadNanos;

  private volatile long nextRefresh;

  private LocalEntry(
      @Nullable V value,
      @Nullable String error,
      boolean again,
      long token,
      Epochs.Moment moment,
      Times times,
      long loadNanos,
      long calmUntil) {
    this.value = value;
    this.error = error;
    this.again = again;
    this.token = token;
    this.stripe = moment.stripe();
    this.epoch = moment.epoch();
    this.calmUntil = calmUntil;
    this.localUntil = times.localUntil();
    this.freshUntil = times.freshUntil();
    this.staleUntil = times.staleUntil();
    this.keptUntil = times.keptUntil();
    this.loadNanos = loadNanos;
    this.nextRefresh = times.now();
  }

  /** Moments of the monotonic clock. */
  record Times(long now, long localUntil, long freshUntil, long staleUntil, long keptUntil) {
    /** What is left from now on, in nanoseconds. */
    static Times from(long now, long local, long fresh, long kept, CacheSettings settings) {
      long stale = Math.max(fresh, kept - settings.fallbackFor().toNanos());
      return new Times(now, now + local, now + fresh, now + stale, now + kept);
    }
  }

  static <V> LocalEntry<V> of(
      @Nullable V value,
      long token,
      Epochs.Moment moment,
      Times times,
      long loadNanos,
      double beta) {
    long early = times.freshUntil() - EarlyRefresh.window(beta, loadNanos);
    long calm = early - times.localUntil() < 0 ? early : times.localUntil();
    return new LocalEntry<>(value, null, false, token, moment, times, loadNanos, calm);
  }

  static <V> LocalEntry<V> failed(String error, long token, Epochs.Moment moment, Times times) {
    return new LocalEntry<>(null, error, false, token, moment, times, 0, never(times));
  }

  /** An old value, for the time in which an error is not tried again. */
  static <V> LocalEntry<V> again(V value, long token, Epochs.Moment moment, Times times) {
    return new LocalEntry<>(value, null, true, token, moment, times, 0, never(times));
  }

  /** Long ago: the clock by which one sees that there is nothing to think about is a bit late. */
  private static long never(Times times) {
    return times.now() - TimeUnit.DAYS.toNanos(1);
  }

  boolean isLocal(long now) {
    return now - localUntil < 0;
  }

  /** Whether to be counted as a value that is as good as new. */
  boolean isGood(long now) {
    return isFresh(now) && !again;
  }

  boolean isFresh(long now) {
    return now - freshUntil < 0;
  }

  /** Whether it may be served, though perhaps not fresh, while it is loaded anew. */
  boolean isServable(long now) {
    return now - staleUntil < 0;
  }

  /** Whether it is better than nothing. */
  boolean isKept(long now) {
    return now - keptUntil < 0;
  }

  /** Whether the caller shall refresh it: one of them, and not again before the pause is over. */
  boolean claimRefresh(long now) {
    long next = nextRefresh;
    return now - next >= 0 && NEXT_REFRESH.compareAndSet(this, next, now + REFRESH_PAUSE_NANOS);
  }
}
