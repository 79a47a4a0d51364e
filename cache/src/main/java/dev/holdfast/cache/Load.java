package dev.holdfast.cache;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** A value that this process loads or waits for, and the callers that wait for it. Thread-safe. */
final class Load<K, V> {
  /** Stands for no token: any fresh value will do. */
  static final long ANY = -1;

  final K key;
  final CacheName name;
  final CacheLoader<? super K, ? extends V> loader;

  /** The token of a fresh value that is to be replaced; {@link #ANY} where there is none. */
  final long replaces;

  private final CompletableFuture<LoadOutcome<V>> first = new CompletableFuture<>();
  private final CompletableFuture<LoadOutcome<V>> last = new CompletableFuture<>();
  private final Semaphore news = new Semaphore(0);
  private long until;
  private volatile boolean loading;
  private volatile boolean detached;
  private volatile @Nullable LocalEntry<V> old;
  private @Nullable LocalEntry<V> mine;

  Load(
      K key,
      CacheName name,
      CacheLoader<? super K, ? extends V> loader,
      long replaces,
      long until) {
    this.key = key;
    this.name = name;
    this.loader = loader;
    this.replaces = replaces;
    this.until = until;
  }

  /** What this process had, though not good any more; said before it is begun. */
  void begin(@Nullable LocalEntry<V> had) {
    mine = had;
  }

  @Nullable LocalEntry<V> mine() {
    return detached ? null : mine;
  }

  /** Somebody waits for it until this moment. */
  synchronized void waitedFor(long moment) {
    if (moment - until > 0) {
      until = moment;
    }
  }

  /** How long somebody may still wait for it; negative where nobody does. */
  synchronized long waitedForNanos() {
    return until - System.nanoTime();
  }

  /** The value that is to be replaced, seen on the way. */
  @Nullable LocalEntry<V> old() {
    return detached ? null : old;
  }

  /** Answers those who wait with a value that is not fresh, while the flight goes on. */
  void serve(LocalEntry<V> stale) {
    old = stale;
    first.complete(new LoadOutcome.Ended<>(stale));
  }

  void remember(@Nullable LocalEntry<V> seen) {
    if (seen != null) {
      old = seen;
    }
  }

  /** What was seen on the way is not there any more. */
  void forgetOld() {
    old = null;
  }

  void end(LoadOutcome<V> outcome) {
    first.complete(outcome);
    last.complete(outcome);
  }

  void beginLoading() {
    loading = true;
  }

  boolean isLoading() {
    return loading;
  }

  /** What it brings must not be kept: the value was invalidated meanwhile. */
  void detach() {
    detached = true;
  }

  boolean isDetached() {
    return detached;
  }

  /** Null where the time is over. */
  @Nullable LoadOutcome<V> await(long moment, long now) throws InterruptedException {
    LoadOutcome<V> outcome = await(first, moment);
    boolean tooOld =
        outcome instanceof LoadOutcome.Ended<V> ended
            && ended.copy().error == null
            && !ended.copy().isServable(now);
    return tooOld && outcome != last.getNow(null) ? await(last, moment) : outcome;
  }

  private static <T> @Nullable T await(CompletableFuture<T> future, long moment)
      throws InterruptedException {
    try {
      return future.get(Math.max(0, moment - System.nanoTime()), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      return null;
    } catch (ExecutionException e) {
      throw new IllegalStateException("a flight always ends with an outcome", e);
    }
  }

  /** Something has happened to the name elsewhere. */
  void tell() {
    news.release();
  }

  void awaitNews(long nanos) throws InterruptedException {
    if (news.tryAcquire(nanos, TimeUnit.NANOSECONDS)) {
      news.drainPermits();
    }
  }
}
