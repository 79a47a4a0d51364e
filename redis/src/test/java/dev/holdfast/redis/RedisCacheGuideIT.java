package dev.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.cache.SharedCache;
import dev.holdfast.cache.json.JsonValues;
import dev.holdfast.lease.Leases;
import dev.holdfast.testing.TestRedis;
import io.lettuce.core.RedisClient;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.Delay;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The snippet of the guide to the shared cache about Redis, run. */
class RedisCacheGuideIT {
  private final String uri = TestRedis.uri().toString();

  record PriceList(long shop, long price) {}

  @Test
  void theCacheInRedis() {
    RedisClient client = RedisClient.create(uri);
    RedisCacheStore values = RedisCacheStore.using(client);
    Leases leases = Holdfast.createLeases(RedisLeaseStore.using(client));

    SharedCache<Long, PriceList> prices =
        SharedCache.<Long, PriceList>named("prices")
            .values(JsonValues.of(PriceList.class))
            .freshFor(Duration.ofMinutes(5))
            .on(leases, values);

    prices.invalidate(1L);
    assertThat(prices.get(1L, shop -> new PriceList(shop, 100))).isEqualTo(new PriceList(1, 100));
    prices.invalidate(1L);
    assertThat(prices.get(1L, shop -> new PriceList(shop, 110))).isEqualTo(new PriceList(1, 110));

    values.close();
    client.shutdown();
  }

  @Test
  void aClientThatIsSoonBack() {
    ClientResources resources =
        ClientResources.builder().reconnectDelay(Delay.constant(Duration.ofMillis(500))).build();
    RedisClient client = RedisClient.create(resources, uri);

    try (RedisCacheStore values = RedisCacheStore.using(client)) {
      assertThat(values.get("prices:none").entry()).isNull();
    }

    client.shutdown();
  }
}
