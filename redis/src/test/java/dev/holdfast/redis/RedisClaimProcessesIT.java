package dev.holdfast.redis;

import dev.holdfast.idempotency.IdempotencyStore;
import dev.holdfast.testing.TestRedis;
import dev.holdfast.testing.contract.ClaimProcessesContract;
import io.lettuce.core.RedisClient;
import java.util.List;
import java.util.UUID;

/** Claims in Redis of several processes. */
class RedisClaimProcessesIT extends ClaimProcessesContract {
  RedisClaimProcessesIT() {
    super(RedisClaimProcessesIT::place);
  }

  private static Place place() {
    String prefix = "test-" + UUID.randomUUID();
    RedisClient client = RedisClient.create(TestRedis.uri().toString());
    return new Place() {
      @Override
      public List<String> main() {
        return List.of(RedisClaimsMain.class.getName(), TestRedis.uri().toString(), prefix);
      }

      @Override
      public IdempotencyStore open() {
        return RedisIdempotencyStore.using(
            client, RedisIdempotencyOptions.DEFAULTS.withPrefix(prefix));
      }

      @Override
      public boolean transactional() {
        return false;
      }

      @Override
      public boolean forgetsByItself() {
        return true;
      }

      @Override
      public void close() {
        client.shutdown();
      }
    };
  }
}
