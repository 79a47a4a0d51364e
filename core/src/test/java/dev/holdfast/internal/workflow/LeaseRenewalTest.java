package dev.holdfast.internal.workflow;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.idempotency.IdempotencyKey;
import dev.holdfast.idempotency.spi.IdempotencyStore;
import dev.holdfast.idempotency.spi.IdempotencyStore.Ownership;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class LeaseRenewalTest {
  private static final Duration LEASE = Duration.ofMinutes(1);

  /** A machine under load runs the timer late. */
  @Test
  void isLostAtTheDeadlineBeforeTheTimerRuns() {
    LeaseRenewal renewal = claimed(System.nanoTime() - LEASE.toNanos());
    assertThat(renewal.isLost()).isTrue();
    renewal.end();
    assertThat(renewal.isLost()).as("ended by its owner").isFalse();
  }

  @Test
  void isNotLostBeforeTheDeadline() {
    assertThat(claimed(System.nanoTime()).isLost()).isFalse();
  }

  private static LeaseRenewal claimed(long asked) {
    IdempotencyStore store =
        (IdempotencyStore)
            Proxy.newProxyInstance(
                LeaseRenewalTest.class.getClassLoader(),
                new Class<?>[] {IdempotencyStore.class},
                (proxy, method, arguments) -> {
                  return switch (method.getName()) {
                    case "hashCode" -> System.identityHashCode(proxy);
                    case "equals" -> proxy == arguments[0];
                    default -> throw new AssertionError(method.getName());
                  };
                });
    return new LeaseRenewal(
        RenewalThreads.of(store),
        store,
        new Ownership(IdempotencyKey.of("POST /orders", "k-1"), UUID.randomUUID()),
        LEASE,
        asked);
  }
}
