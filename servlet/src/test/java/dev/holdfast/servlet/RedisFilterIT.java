package dev.holdfast.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.redis.RedisIdempotencyOptions;
import dev.holdfast.redis.RedisIdempotencyStore;
import dev.holdfast.servlet.TestApp.Endpoint;
import dev.holdfast.testing.KillableRedis;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestRedis;
import io.lettuce.core.RedisClient;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** The filter keeps its contracts with claims in Redis, beside transactions in H2. */
class RedisFilterIT {
  private static RedisClient client;

  @BeforeAll
  static void connect() {
    client = RedisClient.create(TestRedis.uri().toString());
  }

  @AfterAll
  static void close() {
    client.shutdown();
  }

  private static FilterPlace place() {
    RedisIdempotencyOptions options =
        RedisIdempotencyOptions.DEFAULTS.withPrefix("test-" + UUID.randomUUID());
    return new FilterPlace(
        TestDatabase.h2(), TomcatWeb::start, RedisIdempotencyStore.using(client, options));
  }

  @Nested
  class Replays extends ReplayContract {
    Replays() {
      super(RedisFilterIT::place);
    }
  }

  @Nested
  class Refusals extends RefusalContract {
    Refusals() {
      super(RedisFilterIT::place);
    }
  }

  @Nested
  class Async extends AsyncContract {
    Async() {
      super(RedisFilterIT::place);
    }
  }

  @Nested
  class Load extends LoadContract {
    Load() {
      super(RedisFilterIT::place, 2_000);
    }
  }

  @Nested
  class Limits extends LimitsContract {
    Limits() {
      super(RedisFilterIT::place);
    }
  }

  @Test
  void nothingIsDoneWhileRedisIsGone() {
    try (KillableRedis redis = KillableRedis.start()) {
      RedisClient own = RedisClient.create(redis.uri());
      try (FilterPlace place =
          new FilterPlace(TestDatabase.h2(), TomcatWeb::start, RedisIdempotencyStore.using(own))) {
        Endpoint endpoint = place.at("/lease", (request, response) -> response.setStatus(201));
        assertThat(place.send(endpoint, FilterPlace.newKey()).statusCode()).isEqualTo(201);
        redis.kill();

        HttpResponse<byte[]> answer = place.send(endpoint, FilterPlace.newKey());

        FilterPlace.assertProblem(answer, 503, "idempotency-store-unavailable");
        assertThat(answer.headers().firstValue("Retry-After")).isPresent();
        assertThat(endpoint.calls()).isEqualTo(1);
      } finally {
        own.shutdown(Duration.ZERO, Duration.ofSeconds(1));
      }
    }
  }
}
