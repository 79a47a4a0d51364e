package dev.holdfast.cache;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class StoreHealthTest {
  private final CacheCounters counters = new CacheCounters();
  private final StoreHealth health = new StoreHealth("prices", counters);

  @Test
  void pausesCallsAfterFailure() {
    assertThat(health.mayAsk()).isTrue();

    health.failed(new IllegalStateException("gone"));

    assertThat(health.isDown()).isTrue();
    assertThat(health.mayAsk()).isFalse();
    assertThat(counters.storeFailures.sum()).isEqualTo(1);
    health.answered();
    assertThat(health.isDown()).isFalse();
    assertThat(health.mayAsk()).isTrue();
  }

  @Test
  void unshareableValueKeepsStoreHealthy() {
    health.refused(new IllegalStateException("too large"));

    assertThat(health.isDown()).isFalse();
    assertThat(counters.storeFailures.sum()).isEqualTo(1);
  }
}
