package dev.holdfast.redis;

import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Connections to one Redis server, which Sentinel may replace. */
final class ServerConnections implements RedisConnections {
  private final RedisClient client;
  private final StatefulRedisConnection<byte[], byte[]> shared;

  private @Nullable StatefulRedisConnection<byte[], byte[]> grants;

  ServerConnections(RedisClient client) {
    this.client = client;
    this.shared = client.connect(ByteArrayCodec.INSTANCE);
  }

  @Override
  public StatefulRedisConnection<byte[], byte[]> shared() {
    return shared;
  }

  @Override
  public boolean isCut() {
    return !shared.isOpen()
        && shared instanceof RedisChannelHandler<?, ?> known
        && !known.isClosed();
  }

  @Override
  public synchronized StatefulRedisConnection<byte[], byte[]> master(byte[] key) {
    if (grants == null) {
      grants = client.connect(ByteArrayCodec.INSTANCE);
    }
    return grants;
  }

  @Override
  public List<StatefulRedisConnection<byte[], byte[]>> masters() {
    return List.of(shared);
  }

  @Override
  public StatefulRedisPubSubConnection<byte[], byte[]> listen() {
    return client.connectPubSub(ByteArrayCodec.INSTANCE);
  }

  @Override
  public synchronized void close() {
    RedisConnections.await(RedisConnections.close(shared));
    if (grants != null) {
      RedisConnections.await(RedisConnections.close(grants));
    }
  }
}
