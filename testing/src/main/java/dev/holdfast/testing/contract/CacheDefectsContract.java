package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Holdfast;
import dev.holdfast.cache.CacheLoadException;
import dev.holdfast.cache.CacheTimeoutException;
import dev.holdfast.cache.SharedCache;
import dev.holdfast.lease.LeaseKey;
import dev.holdfast.lease.Leases;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/**
 * Defects that other caches have or had, and this one must not: each test names where it is known
 * from. The table of all of them is in {@code docs/design/lease-defects.md}.
 */
public abstract class CacheDefectsContract extends CacheTests {
  private static final LeaseKey LEASE = LeaseKey.exclusive("cache:texts:x");

  protected CacheDefectsContract(Supplier<CacheStoreFixture> places) {
    super(places);
  }

  /** spring-data-redis#1670, #1253, #2890, #2793, #2598: its lock is of the whole cache. */
  @Test
  void aSlowLoadHoldsUpNoOtherKey() throws Exception {
    SharedCache<String, String> first = process();
    SharedCache<String, String> second = process();
    HeldLoader slow = new HeldLoader(() -> "slow");
    CompletableFuture<String> leader = call(first, "x", slow);
    slow.awaitBegun();

    assertThat(first.get("y", loader("y"))).isEqualTo("y");
    assertThat(second.get("z", loader("z"))).isEqualTo("z");
    first.invalidate("y");
    assertThat(second.get("y", loader("new"))).isEqualTo("new");

    slow.go();
    assertThat(result(leader)).isEqualTo("slow");
  }

  /** Spring Data Redis and JetCache delete the lock of whoever has it by then. */
  @Test
  void lateLoaderCannotDisturbSuccessor() throws Exception {
    Leases operator = Holdfast.createLeases(place.openLeases());
    SharedCache<String, String> first = process();
    SharedCache<String, String> second = process();
    HeldLoader late = new HeldLoader(() -> "late");
    CompletableFuture<String> one = call(first, "x", late);
    late.awaitBegun();
    operator.forceRelease(LEASE);
    HeldLoader next = new HeldLoader(() -> "next");
    CompletableFuture<String> two = call(second, "x", next);
    next.awaitBegun();

    late.go();
    assertThat(result(one)).as("better than nothing, for who waited").isEqualTo("late");
    assertThat(operator.tryAcquire("cache:texts:x", LONG)).as("still the successor's").isEmpty();
    next.go();

    assertThat(result(two)).isEqualTo("next");
    SharedCache<String, String> third = process();
    LeaseTests.await(
        "it must be shared", () -> third.getIfPresent("x").equals(java.util.Optional.of("next")));
  }

  /** jetcache#234: a loader that asked for its own key waited for itself, for ever. */
  @Test
  void recursiveLoadFails() {
    SharedCache<String, String> cache = process();

    assertThatThrownBy(
            () -> cache.get("x", key -> cache.get("x", nobody(), Duration.ofMillis(100))))
        .isInstanceOf(CacheLoadException.class)
        .hasCauseInstanceOf(CacheTimeoutException.class);
    assertThat(cache.get("x", loader("a"))).as("and the key is not stuck").isEqualTo("a");
  }

  /** rueidis#1014, cockroach#91038: those who came later shared the end of the one before. */
  @Test
  void laterCallerDoesNotSeeFailure() throws Exception {
    for (SharedCache<String, String> later : List.of(process(), process())) {
      SharedCache<String, String> first = process();
      HeldLoader broken =
          new HeldLoader(
              () -> {
                throw new IllegalStateException("broken");
              });
      CompletableFuture<String> call = call(first, "x", broken);
      broken.awaitBegun();
      broken.go();
      assertThatThrownBy(() -> result(call)).hasCauseInstanceOf(CacheLoadException.class);

      assertThat(later.get("x", loader("a"))).isEqualTo("a");
      later.invalidate("x");
    }
  }
}
