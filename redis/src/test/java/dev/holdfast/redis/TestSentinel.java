package dev.holdfast.redis;

import dev.holdfast.testing.KillableRedis;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import java.time.Duration;

/** A master and its replica, which a Sentinel watches: real processes. */
final class TestSentinel implements AutoCloseable {
  private static final String NAME = "leases";

  private final KillableRedis master = KillableRedis.start("--repl-diskless-sync-delay", "0");
  private final KillableRedis replica =
      KillableRedis.start("--replicaof", "127.0.0.1", Integer.toString(master.port()));
  private final KillableRedis sentinel = KillableRedis.sentinel(NAME, master.port());

  private TestSentinel() {}

  static TestSentinel start() {
    TestSentinel started = new TestSentinel();
    RedisURI uri = RedisURI.create(started.uri());
    RedisClient client = RedisClient.create(uri);
    try {
      RedisSentinelIT.awaitReplica(client, RedisURI.create(started.replica.uri()), uri);
    } finally {
      client.shutdown(Duration.ZERO, Duration.ofSeconds(1));
    }
    return started;
  }

  /** The address of the Sentinel, which says who the master is. */
  String uri() {
    return "redis-sentinel://127.0.0.1:" + sentinel.port() + "#" + NAME;
  }

  @Override
  public void close() {
    sentinel.close();
    replica.close();
    master.close();
  }
}
