package dev.holdfast.redis;

import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hears what is published on a channel by one connection, which a thread of its own makes, so that
 * nobody waits for it. When it breaks, Lettuce makes a new one and subscribes again.
 *
 * <p>Whether a connection still works that looks as if it did, is found out by subscribing again
 * from time to time: Redis answers, and nothing else changes.
 */
final class RedisSubscription {
  private static final Logger LOG = LoggerFactory.getLogger(RedisSubscription.class);
  private static final long LOOK_AFTER = Duration.ofSeconds(2).toNanos();
  private static final long PAUSE_MILLIS = 500;

  private final Supplier<StatefulRedisPubSubConnection<byte[], byte[]>> connecting;
  private final byte[] channel;
  private final Listener listener;
  private final long timeoutNanos;

  private @Nullable StatefulRedisPubSubConnection<byte[], byte[]> connection;
  private boolean subscribed;
  private boolean closed;
  private long answered = System.nanoTime();
  private long asked = answered;

  /** Called by threads of Lettuce, so it must be quick. */
  interface Listener {
    void heard(byte[] message);

    /** Begins to hear, or hears again: what was before may have been missed. */
    void missed();
  }

  private RedisSubscription(
      Supplier<StatefulRedisPubSubConnection<byte[], byte[]>> connecting,
      byte[] channel,
      Listener listener,
      Duration timeout) {
    this.connecting = connecting;
    this.channel = channel;
    this.listener = listener;
    this.timeoutNanos = timeout.toNanos();
  }

  static RedisSubscription start(
      Supplier<StatefulRedisPubSubConnection<byte[], byte[]>> connecting,
      byte[] channel,
      Listener listener,
      Duration timeout) {
    RedisSubscription subscription = new RedisSubscription(connecting, channel, listener, timeout);
    Thread thread = new Thread(subscription::connect, "holdfast-redis-subscribe");
    thread.setDaemon(true);
    thread.start();
    return subscription;
  }

  /** Until it has a connection, or is not wanted any more. */
  private void connect() {
    while (!isClosed()) {
      try {
        StatefulRedisPubSubConnection<byte[], byte[]> made = connecting.get();
        Ear ear = new Ear();
        made.addListener((RedisConnectionStateListener) ear);
        made.addListener(ear.messages);
        if (keep(made)) {
          ask(made);
        }
        return;
      } catch (RedisException e) {
        LOG.debug("cannot subscribe to Redis yet", e);
      }
      try {
        Thread.sleep(PAUSE_MILLIS);
      } catch (InterruptedException e) {
        return;
      }
    }
  }

  private void ask(StatefulRedisPubSubConnection<byte[], byte[]> current) {
    RedisFuture<Void> unused = current.async().subscribe(channel);
  }

  private synchronized boolean isClosed() {
    return closed;
  }

  private synchronized boolean keep(StatefulRedisPubSubConnection<byte[], byte[]> made) {
    if (closed) {
      CompletableFuture<Void> unused = RedisConnections.close(made);
      return false;
    }
    connection = made;
    return true;
  }

  /** Whether {@link NotificationListener#missed} was called since the connection was made. */
  synchronized boolean hasBegun() {
    return subscribed;
  }

  /** Whether it is known to work now. */
  synchronized boolean hears() {
    StatefulRedisPubSubConnection<byte[], byte[]> current = connection;
    if (!subscribed || closed || current == null) {
      return false;
    }
    long now = System.nanoTime();
    boolean open = asked - answered > 0;
    if (!open && now - answered > LOOK_AFTER) {
      asked = now;
      try {
        ask(current);
      } catch (RedisException e) {
        LOG.debug("cannot ask whether the subscription works", e);
      }
    }
    return !open || now - asked < timeoutNanos;
  }

  /** Never fails, and waits for nothing; the answer is for those who want to. */
  synchronized CompletableFuture<Void> close() {
    closed = true;
    return connection == null
        ? CompletableFuture.completedFuture(null)
        : RedisConnections.close(connection);
  }

  private void confirmed() {
    boolean fresh;
    synchronized (this) {
      answered = System.nanoTime();
      fresh = !subscribed;
      subscribed = true;
    }
    if (fresh) {
      listener.missed();
    }
  }

  private synchronized void broken() {
    subscribed = false;
  }

  /** What Lettuce calls, on its own threads. */
  private final class Ear implements RedisConnectionStateListener {
    private final RedisPubSubAdapter<byte[], byte[]> messages =
        new RedisPubSubAdapter<>() {
          @Override
          public void message(byte[] from, byte[] message) {
            safely(() -> listener.heard(message));
          }

          @Override
          public void subscribed(byte[] to, long count) {
            safely(RedisSubscription.this::confirmed);
          }
        };

    @Override
    public void onRedisDisconnected(RedisChannelHandler<?, ?> handler) {
      broken();
    }

    private void safely(Runnable action) {
      try {
        action.run();
      } catch (RuntimeException e) {
        LOG.warn(
            "redis-listener-failed: a listener of Redis messages threw an exception; the"
                + " subscription continues",
            e);
      }
    }
  }
}
