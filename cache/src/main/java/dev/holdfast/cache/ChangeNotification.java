package dev.holdfast.cache;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hears what other processes do to the names of one cache, for as long as the cache is used and a
 * while longer. Thread-safe.
 */
final class ChangeNotification implements CacheStore.Listener {
  private static final Logger LOG = LoggerFactory.getLogger(SharedCache.class);
  private static final Duration LINGER = Duration.ofMinutes(1);

  private final CacheStore store;
  private final String prefix;
  private final Epochs epochs;
  private final Consumer<String> changed;
  private final Consumer<String> invalidated;
  private final Duration linger;
  private volatile CacheStore.@Nullable Subscription subscription;
  private volatile boolean used;
  private volatile boolean heard;

  ChangeNotification(
      CacheStore store,
      String cache,
      Duration localFor,
      Epochs epochs,
      Consumer<String> changed,
      Consumer<String> invalidated) {
    this.store = store;
    this.prefix = cache + ":";
    // who trusts its memory for long asks seldom, and is in use all the same
    Duration twice = localFor.multipliedBy(2);
    this.linger = twice.compareTo(LINGER) > 0 ? twice : LINGER;
    this.epochs = epochs;
    this.changed = changed;
    this.invalidated = invalidated;
  }

  boolean hears() {
    CacheStore.Subscription now = subscription;
    return now != null && now.hears();
  }

  /** Begins to hear, or goes on. */
  void listen() {
    used = true;
    if (subscription == null) {
      subscribe();
    }
  }

  private synchronized void subscribe() {
    if (subscription != null) {
      return;
    }
    try {
      subscription = store.subscribe(this);
      later();
    } catch (RuntimeException e) {
      LOG.debug("notifications of cache changes unavailable; polling", e);
    }
  }

  private void later() {
    CompletableFuture.delayedExecutor(linger.toMillis(), TimeUnit.MILLISECONDS, CacheThreads.POOL)
        .execute(this::endWhereUnused);
  }

  private synchronized void endWhereUnused() {
    CacheStore.Subscription now = subscription;
    if (used) {
      used = false;
      later();
    } else if (now != null) {
      subscription = null;
      now.close();
    }
  }

  @Override
  public void changed(String name) {
    if (name.startsWith(prefix)) {
      changed.accept(name);
    }
  }

  @Override
  public void invalidated(String name) {
    if (name.startsWith(prefix)) {
      epochs.outdate(name);
      invalidated.accept(name);
    }
  }

  @Override
  public void missed() {
    // at the very beginning there is little to be wrong, and that not for long
    if (heard) {
      epochs.outdateAll();
    }
    heard = true;
  }
}
