package dev.holdfast.redis;

import static org.awaitility.Awaitility.await;

import dev.holdfast.testing.KillableRedis;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.IntStream;

/** A Redis Cluster of three masters, which share the slots. */
final class TestCluster implements AutoCloseable {
  private static final int NODES = 3;
  private static final int SLOTS = 16384;

  private final List<KillableRedis> nodes = new ArrayList<>();

  private TestCluster() {}

  static TestCluster start() {
    TestCluster cluster = new TestCluster();
    RedisClient client = RedisClient.create();
    try {
      for (int i = 0; i < NODES; i++) {
        cluster.nodes.add(
            KillableRedis.start("--cluster-enabled", "yes", "--cluster-node-timeout", "2000"));
      }
      int first = cluster.nodes.get(0).port();
      for (int i = 0; i < NODES; i++) {
        int[] slots = IntStream.range(i * SLOTS / NODES, (i + 1) * SLOTS / NODES).toArray();
        cluster.on(client, i, commands -> commands.clusterAddSlots(slots));
        cluster.on(client, i, commands -> commands.clusterMeet("127.0.0.1", first));
      }
      for (int i = 0; i < NODES; i++) {
        int node = i;
        await()
            .until(
                () -> cluster.on(client, node, RedisCommands::clusterInfo),
                info ->
                    info.contains("cluster_state:ok")
                        && info.contains("cluster_known_nodes:" + NODES));
      }
    } finally {
      client.shutdown(Duration.ZERO, Duration.ofSeconds(1));
    }
    return cluster;
  }

  private <T> T on(
      RedisClient client, int node, Function<RedisCommands<String, String>, T> action) {
    try (StatefulRedisConnection<String, String> connection =
        client.connect(RedisURI.create(nodes.get(node).uri()))) {
      return action.apply(connection.sync());
    }
  }

  String uri() {
    return nodes.get(0).uri();
  }

  @Override
  public void close() {
    nodes.forEach(KillableRedis::close);
  }
}
