package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.cache.CacheLoadException;
import dev.holdfast.cache.CacheLoader;
import dev.holdfast.cache.SharedCache;
import dev.holdfast.cache.SharedCacheBuilder;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** Values that are not fresh: served where that is allowed, and never after an invalidation. */
public abstract class CacheStaleContract extends CacheTests {
  private static final Duration MOMENT = Duration.ofMillis(1);

  protected CacheStaleContract(Supplier<CacheStoreFixture> places) {
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
  void servesStaleWhileOneProcessLoads() throws Exception {
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
  void servesStaleOnError() {
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

  @Test
  void backsOffAfterStaleOnError() {
    UnaryOperator<SharedCacheBuilder<String, String>> settings =
        s -> s.freshFor(MOMENT).fallbackFor(LONG).errorsFor(LONG).jitter(0);
    SharedCache<String, String> first = process(settings);
    first.get("x", loader("old"));
    shared("x");
    LeaseTests.await(
        "it must be over",
        () -> {
          assertThat(first.get("x", key -> broken())).isEqualTo("old");
          return first.stats().loadFailures() > 0;
        });

    for (int i = 0; i < 5; i++) {
      assertThat(first.get("x", nobody())).isEqualTo("old");
    }
    assertThat(first.stats().loadFailures()).as("asked once").isEqualTo(1);
    assertThat(first.stats().staleServed()).isEqualTo(6);
    SharedCache<String, String> second = process(settings);
    LeaseTests.await("elsewhere too", () -> second.getIfPresent("x").isPresent());
    assertThat(second.get("x", nobody())).isEqualTo("old");
    assertThat(second.stats().loadFailures()).isZero();
    first.invalidate("x");
    assertThat(first.get("x", loader("new"))).isEqualTo("new");
  }

  @Test
  void whatIsNotTriedAgainYetIsTriedThen() {
    SharedCache<String, String> cache =
        process(s -> s.freshFor(MOMENT).fallbackFor(LONG).errorsFor(SHORT).jitter(0));
    cache.get("x", loader("old"));
    shared("x");
    LeaseTests.await(
        "it must fail twice",
        () -> {
          assertThat(cache.get("x", key -> broken())).isEqualTo("old");
          return cache.stats().loadFailures() == 2;
        });

    LeaseTests.await("and then not", () -> "new".equals(cache.get("x", loader("new"))));
  }

  private static String broken() {
    throw new IllegalStateException("broken");
  }

  @Test
  void servesStaleOnTimeout() throws Exception {
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

    // enough to look into the store for the first time, also on a busy machine
    assertThat(process(s -> s.fallbackFor(LONG)).get("x", nobody(), Duration.ofSeconds(3)))
        .isEqualTo("old");
    slow.go();
  }

  @Test
  void invalidationIsImmediateLocally() {
    SharedCache<String, String> first = process();
    SharedCache<String, String> second =
        process(s -> s.localFor(place.tells() ? LONG : Duration.ofMillis(300)));
    AtomicInteger version = new AtomicInteger();
    CacheLoader<String, String> current = key -> version.toString();
    first.get("x", current);
    second.get("x", current);

    // what is told before one listens is not heard
    LeaseTests.await(
        "it must be noticed",
        () -> {
          String next = Integer.toString(version.incrementAndGet());
          first.invalidate("x");
          assertThat(first.get("x", current)).isEqualTo(next);
          LeaseTests.await(
              "it must be shared", () -> process().getIfPresent("x").equals(Optional.of(next)));
          return noticesSoon(() -> next.equals(second.get("x", current)));
        });
  }

  private static boolean noticesSoon(BooleanSupplier noticed) {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(2);
    while (System.nanoTime() < end) {
      if (noticed.getAsBoolean()) {
        return true;
      }
      Thread.onSpinWait();
    }
    return false;
  }

  @Test
  void earlierLoadDoesNotUndoInvalidation() throws Exception {
    FaultyCacheStore store = new FaultyCacheStore(place.open());
    SharedCache<String, String> first = on(store);
    SharedCache<String, String> second = process();
    for (SharedCache<String, String> invalidating : List.of(first, second)) {
      String key = "x" + loads.get();
      HeldLoader slow = new HeldLoader(() -> "old");
      CompletableFuture<String> early = call(first, key, slow);
      slow.awaitBegun();

      invalidating.invalidate(key);
      int asked = store.asked.get();
      long joined = first.stats().coalescedLocally();
      CompletableFuture<String> late = call(invalidating, key, loader("new"));
      if (invalidating == first) {
        LeaseTests.await(
            "it must wait",
            () -> store.asked.get() > asked || first.stats().coalescedLocally() > joined);
      }
      slow.go();

      assertThat(result(early)).isEqualTo("old");
      assertThat(result(late)).as("who asks after the invalidation").isEqualTo("new");
      LeaseTests.await("here too", () -> "new".equals(first.get(key, loader("new"))));
      assertThat(process().get(key, loader("new"))).isEqualTo("new");
    }
  }

  @Test
  void dropsReadFromBeforeInvalidation() {
    process().get("x", loader("old"));
    shared("x");
    FaultyCacheStore store = new FaultyCacheStore(place.open());
    SharedCache<String, String> cache = on(store);
    store.afterLook.set(() -> cache.invalidate("x"));

    assertThat(cache.getIfPresent("x")).as("asked before").hasValue("old");
    assertThat(cache.getIfPresent("x")).as("asked after").isEmpty();
    assertThat(cache.get("x", loader("new"))).isEqualTo("new");
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
