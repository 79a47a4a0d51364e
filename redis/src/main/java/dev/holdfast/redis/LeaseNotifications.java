package dev.holdfast.redis;

import dev.holdfast.lease.LeaseKey;
import dev.holdfast.lease.spi.LeaseStore;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Parses notifications of the scripts about leases. */
final class LeaseNotifications implements RedisSubscription.Listener {
  private static final Logger LOG = LoggerFactory.getLogger(LeaseNotifications.class);
  private static final int OWNER = 16;

  private final LeaseKeys keys;
  private final LeaseStore.Listener listener;

  private LeaseNotifications(LeaseKeys keys, LeaseStore.Listener listener) {
    this.keys = keys;
    this.listener = listener;
  }

  static LeaseStore.Subscription subscribe(
      Supplier<StatefulRedisPubSubConnection<byte[], byte[]>> connecting,
      LeaseKeys keys,
      LeaseStore.Listener listener,
      Duration timeout) {
    RedisSubscription subscription =
        RedisSubscription.start(
            connecting, keys.channel(), new LeaseNotifications(keys, listener), timeout);
    return new LeaseStore.Subscription() {
      @Override
      public boolean isActive() {
        return subscription.hears();
      }

      @Override
      public void close() {
        CompletableFuture<Void> unused = subscription.close();
      }
    };
  }

  @Override
  public void missed() {
    listener.onResync();
  }

  @Override
  public void heard(byte[] message) {
    if (message.length < 1) {
      return;
    }
    int start = message[0] == 'n' ? 1 + OWNER : 1;
    LeaseKey key = message.length > start ? keys.parse(message, start) : null;
    if (key == null) {
      LOG.warn(
          "redis-channel-conflict: unknown message on the channel of leases; ignored, use another"
              + " key prefix");
    } else if (message[0] == 'n') {
      listener.onReleased(key, owner(message));
    } else if (message[0] == 'f') {
      listener.onRevoked(key, null);
    } else {
      listener.onReleased(key, null);
    }
  }

  private static UUID owner(byte[] message) {
    ByteBuffer bytes = ByteBuffer.wrap(message, 1, OWNER);
    return new UUID(bytes.getLong(), bytes.getLong());
  }
}
