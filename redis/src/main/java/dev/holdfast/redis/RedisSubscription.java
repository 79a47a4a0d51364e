package dev.holdfast.redis;

import dev.holdfast.lease.LeaseKey;
import dev.holdfast.lease.LeaseStore;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hears of releases by one connection, which a thread of its own makes, so that nobody waits for
 * it. When it breaks, Lettuce makes a new one and subscribes again.
 *
 * <p>Whether a connection still works that looks as if it did, is found out by subscribing again
 * from time to time: Redis answers, and nothing else changes.
 */
final class RedisSubscription implements LeaseStore.Subscription {
  private static final Logger LOG = LoggerFactory.getLogger(RedisSubscription.class);
  private static final int OWNER = 16;
  private static final long LOOK_AFTER = Duration.ofSeconds(2).toNanos();
  private static final long PAUSE_MILLIS = 500;

  private final Supplier<StatefulRedisPubSubConnection<byte[], byte[]>> connecting;
  private final LeaseKeys keys;
  private final byte[] channel;
  private final LeaseStore.Listener listener;
  private final long timeoutNanos;

  private @Nullable StatefulRedisPubSubConnection<byte[], byte[]> connection;
  private boolean subscribed;
  private boolean closed;
  private long answered = System.nanoTime();
  private long asked = answered;

  private RedisSubscription(
      Supplier<StatefulRedisPubSubConnection<byte[], byte[]>> connecting,
      LeaseKeys keys,
      LeaseStore.Listener listener,
      Duration timeout) {
    this.connecting = connecting;
    this.keys = keys;
    this.channel = keys.channel();
    this.listener = listener;
    this.timeoutNanos = timeout.toNanos();
  }

  static RedisSubscription start(
      Supplier<StatefulRedisPubSubConnection<byte[], byte[]>> connecting,
      LeaseKeys keys,
      LeaseStore.Listener listener,
      Duration timeout) {
    RedisSubscription subscription = new RedisSubscription(connecting, keys, listener, timeout);
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
      Link.close(made);
      return false;
    }
    connection = made;
    return true;
  }

  @Override
  public synchronized boolean hears() {
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

  @Override
  public synchronized void close() {
    closed = true;
    if (connection != null) {
      Link.close(connection);
    }
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

  private void heard(byte[] message) {
    if (message.length < 1) {
      return;
    }
    int start = message[0] == 'n' ? 1 + OWNER : 1;
    LeaseKey key = message.length > start ? keys.parse(message, start) : null;
    if (key == null) {
      LOG.warn("somebody else uses the channel of the leases; give them another prefix");
    } else if (message[0] == 'n') {
      listener.released(key, owner(message));
    } else if (message[0] == 'f') {
      listener.revoked(key, null);
    } else {
      listener.released(key, null);
    }
  }

  private static UUID owner(byte[] message) {
    ByteBuffer bytes = ByteBuffer.wrap(message, 1, OWNER);
    return new UUID(bytes.getLong(), bytes.getLong());
  }

  /** What Lettuce calls, on its own threads. */
  private final class Ear implements RedisConnectionStateListener {
    private final RedisPubSubAdapter<byte[], byte[]> messages =
        new RedisPubSubAdapter<>() {
          @Override
          public void message(byte[] from, byte[] message) {
            safely(() -> heard(message));
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
        LOG.warn("a listener of leases failed", e);
      }
    }
  }
}
