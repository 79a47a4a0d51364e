package dev.holdfast.bench.idempotency;

import io.lettuce.core.RedisClient;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import java.util.UUID;

/** By hand on Redis: a claim that nobody else has, and an answer that only its holder writes. */
final class RedisByHand implements AutoCloseable {
  private static final String COMPLETE =
      """
      if redis.call('get', KEYS[1]) ~= ARGV[1] then return 0 end
      redis.call('set', KEYS[1], ARGV[2], 'px', ARGV[3])
      return 1""";

  private final StatefulRedisConnection<String, String> connection;
  private final RedisCommands<String, String> redis;
  private final String complete;

  RedisByHand(RedisClient client) {
    this.connection = client.connect();
    this.redis = connection.sync();
    this.complete = redis.scriptLoad(COMPLETE);
  }

  String run(String key, String reply) {
    String token = "claim:" + UUID.randomUUID();
    if (!"OK".equals(redis.set(key, token, SetArgs.Builder.nx().px(30_000)))) {
      return redis.get(key);
    }
    Long done =
        redis.evalsha(
            complete, ScriptOutputType.INTEGER, new String[] {key}, token, reply, "86400000");
    if (done != 1) {
      throw new IllegalStateException("the claim was lost");
    }
    return reply;
  }

  @Override
  public void close() {
    connection.close();
  }
}
