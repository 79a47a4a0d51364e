package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.cache.CacheLoadException;
import dev.holdfast.cache.SharedCache;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** Values that are not fresh: served where that is allowed, and never after an invalidation. */
public abstract class CacheStaleContract extends CacheTests {
  private static final Duration MOMENT = Duration.ofMillis(1);

  protected CacheStaleContract(Supplier<CachePlace> places) {
    super(places);
  }

  private SharedCache<String, String> stale() {
    return process(s -> s.freshFor(MOMENT).staleFor(LONG).jitter(0).earlyRefresh(0));
  }

  private void shared(String key) {
    SharedCache<String, String> other = process(s -> s.staleFor(LONG));
    LeaseTests.await("it must be shared", () -> other.getIfPresent(key).isPresent());
  }

  @Test
  void anOldValueIsServedAtOnceWhileOneProcessLoadsTheNew() throws Exception {
    SharedCache<String, String> first = stale();
    SharedCache<String, String> second = stale();
    first.get("x", loader("old"));
    shared("x");
    HeldLoader slow = new HeldLoader(() -> "new");
    LeaseTests.await(
        "it must be stale",
        () -> {
          assertThat(first.get("x", slow)).isEqualTo("old");
          return slow.begun.getCount() == 0;
        });

    assertThat(first.get("x", nobody())).isEqualTo("old");
    assertThat(second.get("x", nobody())).isEqualTo("old");
    assertThat(second.get("x", nobody())).isEqualTo("old");
    slow.go();

    LeaseTests.await("the new one must come", () -> "new".equals(first.get("x", loader("new"))));
    LeaseTests.await("to all", () -> "new".equals(second.get("x", loader("new"))));
    assertThat(first.stats().staleServed()).isPositive();
    assertThat(second.stats().staleServed()).isPositive();
  }

  @Test
  void anOldValueIsBetterThanAnErrorWhereThatIsAllowed() {
    SharedCache<String, String> first =
        process(s -> s.freshFor(MOMENT).fallbackFor(LONG).jitter(0));
    first.get("x", loader("old"));
    shared("x");
    SharedCache<String, String> second = process(s -> s.fallbackFor(LONG));

    LeaseTests.await(
        "it must be over",
        () -> {
          assertThat(first.get("x", key -> broken())).isEqualTo("old");
          return first.stats().loadFailures() > 0;
        });
    assertThat(second.get("x", key -> broken())).isEqualTo("old");
    assertThat(second.stats().staleServed()).isEqualTo(1);
    assertThat(second.get("x", loader("new"))).isEqualTo("new");
  }

  private static String broken() {
    throw new IllegalStateException("broken");
  }

  @Test
  void anOldValueIsBetterThanWaitingTooLongWhereThatIsAllowed() throws Exception {
    SharedCache<String, String> first =
        process(s -> s.freshFor(MOMENT).fallbackFor(LONG).jitter(0));
    first.get("x", loader("old"));
    shared("x");
    HeldLoader slow = new HeldLoader(() -> "new");
    LeaseTests.await(
        "it must be over",
        () -> {
          assertThat(first.get("x", slow, Duration.ofMillis(50))).isEqualTo("old");
          return slow.begun.getCount() == 0;
        });

    assertThat(process(s -> s.fallbackFor(LONG)).get("x", nobody(), Duration.ofMillis(200)))
        .isEqualTo("old");
    slow.go();
  }

  @Test
  void anInvalidatedValueIsGoneAtOnceHereAndSoonElsewhere() {
    SharedCache<String, String> first = process();
    SharedCache<String, String> second =
        process(s -> s.localFor(place.tells() ? LONG : Duration.ofMillis(300)));
    first.get("x", loader("old"));
    shared("x");
    // what is told before one listens is not heard
    LeaseTests.await("it must be in memory", () -> inMemory(second));

    first.invalidate("x");

    assertThat(first.getIfPresent("x")).isEmpty();
    assertThat(first.get("x", loader("new"))).isEqualTo("new");
    LeaseTests.await("it must be noticed", () -> "new".equals(second.get("x", loader("new"))));
    assertThat(loads).hasValue(2);
  }

  private boolean inMemory(SharedCache<String, String> cache) {
    long before = cache.stats().hits();
    for (int i = 0; i < 200; i++) {
      cache.get("x", nobody());
    }
    return cache.stats().hits() == before + 200;
  }

  @Test
  void aLoadThatBeganBeforeAnInvalidationDoesNotBringTheOldValueBack() throws Exception {
    SharedCache<String, String> first = process();
    SharedCache<String, String> second = process();
    for (SharedCache<String, String> invalidating : List.of(first, second)) {
      String key = "x" + loads.get();
      HeldLoader slow = new HeldLoader(() -> "old");
      CompletableFuture<String> early = call(first, key, slow);
      slow.awaitBegun();

      invalidating.invalidate(key);
      CompletableFuture<String> late = call(invalidating, key, loader("new"));
      slow.go();

      assertThat(result(early)).isEqualTo("old");
      assertThat(result(late)).as("who asks after the invalidation").isEqualTo("new");
      LeaseTests.await("here too", () -> "new".equals(first.get(key, loader("new"))));
      assertThat(process().get(key, loader("new"))).isEqualTo("new");
    }
  }

  @Test
  void anInvalidatedValueIsNoFallback() {
    SharedCache<String, String> cache = process(s -> s.staleFor(LONG).fallbackFor(LONG));
    cache.get("x", loader("old"));
    cache.invalidate("x");

    assertThatThrownBy(() -> cache.get("x", key -> broken()))
        .isInstanceOf(CacheLoadException.class)
        .hasRootCauseMessage("broken");
  }
}
