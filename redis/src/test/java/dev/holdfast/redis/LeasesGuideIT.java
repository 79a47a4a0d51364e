package dev.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.lease.Lease;
import dev.holdfast.lease.Leases;
import dev.holdfast.testing.KillableRedis;
import io.lettuce.core.RedisClient;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The snippet about Redis in the guide to leases, run. */
class LeasesGuideIT {
  @Test
  void leasesAreHadFromRedis() {
    try (KillableRedis server = KillableRedis.start()) {
      String uri = server.uri();
      RedisClient client = RedisClient.create(uri);
      RedisLeaseStore store = RedisLeaseStore.using(client);
      Leases leases = Holdfast.createLeases(store);
      try (Lease lease = leases.acquire("payment:42", Duration.ofSeconds(30))) {
        assertThat(leases.tryAcquire("payment:42", Duration.ofSeconds(30))).isEmpty();
        assertThat(lease.isValid()).isTrue();
      }
      store.close();
      client.shutdown();
    }
  }
}
