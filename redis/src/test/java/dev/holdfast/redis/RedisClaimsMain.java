package dev.holdfast.redis;

import dev.holdfast.idempotency.Claims;
import dev.holdfast.testing.contract.ClaimProcess;
import io.lettuce.core.RedisClient;
import java.io.IOException;

/** An instance with claims in Redis, as a process of its own. */
final class RedisClaimsMain {
  private RedisClaimsMain() {}

  public static void main(String[] args) throws IOException {
    RedisClient client = RedisClient.create(args[0]);
    ClaimProcess.run(
        Claims.on(
            RedisIdempotencyStore.using(
                client, RedisIdempotencyOptions.DEFAULTS.withPrefix(args[1]))));
  }
}
