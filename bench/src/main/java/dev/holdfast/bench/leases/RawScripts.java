package dev.holdfast.bench.leases;

import io.lettuce.core.RedisClient;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import java.util.UUID;

/**
 * What somebody who knows how writes by hand: scripts that check the owner, with a token or not.
 */
final class RawScripts implements Locks {
  private static final String ACQUIRE =
      """
      if redis.call('exists', KEYS[1]) == 1 then return -redis.call('pttl', KEYS[1]) end
      local token = redis.call('incr', KEYS[2])
      redis.call('set', KEYS[1], ARGV[1], 'px', ARGV[2])
      return token""";
  private static final String RELEASE =
      """
      if redis.call('get', KEYS[1]) ~= ARGV[1] then return 0 end
      return redis.call('del', KEYS[1])""";

  private final StatefulRedisConnection<String, String> connection;
  private final RedisCommands<String, String> redis;
  private final boolean fenced;
  private final String acquire;
  private final String release;

  RawScripts(RedisClient client, boolean fenced) {
    this.connection = client.connect();
    this.redis = connection.sync();
    this.fenced = fenced;
    this.acquire = redis.scriptLoad(ACQUIRE);
    this.release = redis.scriptLoad(RELEASE);
  }

  @Override
  public void pair(String name) {
    String owner = UUID.randomUUID().toString();
    String key = "{" + name + "}";
    if (fenced) {
      String[] keys = {key, key + ":token"};
      Long token = redis.evalsha(acquire, ScriptOutputType.INTEGER, keys, owner, "30000");
      check(token > 0);
    } else {
      check("OK".equals(redis.set(key, owner, SetArgs.Builder.nx().px(30_000))));
    }
    Long released = redis.evalsha(release, ScriptOutputType.INTEGER, new String[] {key}, owner);
    check(released == 1);
  }

  private static void check(boolean done) {
    if (!done) {
      throw new IllegalStateException("somebody else has it");
    }
  }

  @Override
  public void close() {
    connection.close();
  }
}
