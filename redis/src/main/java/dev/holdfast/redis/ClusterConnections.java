package dev.holdfast.redis;

import io.lettuce.core.RedisException;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Connections to a Redis Cluster. */
final class ClusterConnections implements RedisConnections {
  private final RedisClusterClient client;
  private final StatefulRedisClusterConnection<byte[], byte[]> shared;

  private @Nullable StatefulRedisClusterConnection<byte[], byte[]> grants;

  ClusterConnections(RedisClusterClient client) {
    this.client = client;
    this.shared = client.connect(ByteArrayCodec.INSTANCE);
  }

  @Override
  public StatefulRedisClusterConnection<byte[], byte[]> shared() {
    return shared;
  }

  @Override
  public StatefulRedisConnection<byte[], byte[]> master(byte[] key) {
    StatefulRedisClusterConnection<byte[], byte[]> connection = grants();
    int slot = SlotHash.getSlot(key);
    RedisClusterNode node = connection.getPartitions().getMasterBySlot(slot);
    if (node == null) {
      throw new RedisException("no master is known of the slot " + slot);
    }
    return connection.getConnection(node.getNodeId());
  }

  @Override
  public List<StatefulRedisConnection<byte[], byte[]>> masters() {
    return shared.getPartitions().stream()
        .filter(node -> node.getRole().isUpstream() && !node.hasNoSlots())
        .map(node -> shared.getConnection(node.getNodeId()))
        .toList();
  }

  /** Any node does: the nodes pass messages that are not sharded on to each other. */
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

  private synchronized StatefulRedisClusterConnection<byte[], byte[]> grants() {
    if (grants == null) {
      grants = client.connect(ByteArrayCodec.INSTANCE);
    }
    return grants;
  }
}
