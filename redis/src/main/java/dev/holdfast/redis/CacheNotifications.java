package dev.holdfast.redis;

import dev.holdfast.cache.CacheStore;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Receives notifications of the scripts about cached values, with one connection for all listeners
 * of a store. Thread-safe.
 */
final class CacheNotifications implements RedisSubscription.Listener {
  private static final Logger LOG = LoggerFactory.getLogger(CacheNotifications.class);

  private final Supplier<StatefulRedisPubSubConnection<byte[], byte[]>> connecting;
  private final CacheKeys keys;
  private final Duration timeout;
  private final List<Ear> ears = new CopyOnWriteArrayList<>();

  private @Nullable RedisSubscription subscription;
  private boolean closed;

  CacheNotifications(
      Supplier<StatefulRedisPubSubConnection<byte[], byte[]>> connecting,
      CacheKeys keys,
      Duration timeout) {
    this.connecting = connecting;
    this.keys = keys;
    this.timeout = timeout;
  }

  /** One that is closed already where the store is. */
  CacheStore.Subscription subscribe(CacheStore.Listener listener) {
    Ear ear = new Ear(listener);
    if (add(ear)) {
      // the others were told before it came
      listener.missed();
    }
    return ear;
  }

  /** Whether messages are heard already. */
  private synchronized boolean add(Ear ear) {
    if (closed) {
      return false;
    }
    ears.add(ear);
    if (subscription == null) {
      subscription = RedisSubscription.start(connecting, keys.channel(), this, timeout);
    }
    return subscription.hasBegun();
  }

  private synchronized void remove(Ear ear) {
    ears.remove(ear);
    if (ears.isEmpty()) {
      CompletableFuture<Void> unused = end();
    }
  }

  private synchronized boolean hears(Ear ear) {
    return subscription != null && subscription.hears() && ears.contains(ear);
  }

  void close() {
    RedisConnections.await(endForever());
  }

  private synchronized CompletableFuture<Void> endForever() {
    closed = true;
    ears.clear();
    return end();
  }

  private synchronized CompletableFuture<Void> end() {
    RedisSubscription ending = subscription;
    subscription = null;
    return ending == null ? CompletableFuture.completedFuture(null) : ending.close();
  }

  @Override
  public void heard(byte[] message) {
    String name = message.length > 0 ? keys.parse(message, 1) : null;
    if (name == null) {
      LOG.warn(
          "redis-channel-conflict: unknown message on the channel of caches; ignored, use another"
              + " key prefix");
    } else if (message[0] == 'i') {
      tell(listener -> listener.invalidated(name));
    } else {
      tell(listener -> listener.changed(name));
    }
  }

  @Override
  public void missed() {
    tell(CacheStore.Listener::missed);
  }

  /** One that fails does not keep the others from hearing. */
  private void tell(Consumer<CacheStore.Listener> news) {
    for (Ear ear : ears) {
      try {
        news.accept(ear.listener);
      } catch (RuntimeException e) {
        LOG.warn(
            "cache-listener-failed: a listener of cache changes threw an exception; the other"
                + " listeners are called",
            e);
      }
    }
  }

  private final class Ear implements CacheStore.Subscription {
    private final CacheStore.Listener listener;

    Ear(CacheStore.Listener listener) {
      this.listener = listener;
    }

    @Override
    public boolean hears() {
      return CacheNotifications.this.hears(this);
    }

    @Override
    public void close() {
      remove(this);
    }
  }
}
