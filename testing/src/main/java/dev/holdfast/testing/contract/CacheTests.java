package dev.holdfast.testing.contract;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.cache.CacheCodec;
import dev.holdfast.cache.CacheLoader;
import dev.holdfast.cache.SharedCache;
import dev.holdfast.cache.SharedCacheBuilder;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** What the contracts of shared caches stand on: an empty place, and processes on it. */
abstract class CacheTests {
  static final Duration LONG = Duration.ofMinutes(10);
  static final Duration SHORT = Duration.ofMillis(250);

  /** A busy machine is no broken store. */
  static final Duration PATIENCE = Duration.ofSeconds(30);

  private final Supplier<CacheStoreFixture> places;
  final ExecutorService callers = Executors.newCachedThreadPool();
  CacheStoreFixture place;

  /** The loads of all processes. */
  final AtomicInteger loads = new AtomicInteger();

  @SuppressWarnings("NullAway.Init")
  CacheTests(Supplier<CacheStoreFixture> places) {
    this.places = places;
  }

  @BeforeEach
  final void openPlace() {
    place = places.get();
  }

  @AfterEach
  final void closePlace() {
    callers.shutdownNow();
    if (place != null) { // else there is no such database
      place.close();
    }
  }

  /** Texts as they are. */
  static final class Texts implements CacheCodec<String> {
    @Override
    public byte[] write(String value) {
      return value.getBytes(UTF_8);
    }

    @Override
    public String read(byte[] bytes) {
      return new String(bytes, UTF_8);
    }
  }

  /** A cache as another process would have it. */
  final SharedCache<String, String> process(
      UnaryOperator<SharedCacheBuilder<String, String>> settings) {
    return settings
        .apply(
            SharedCache.<String, String>named("texts")
                .values(new Texts())
                .freshFor(LONG)
                .storePatience(PATIENCE))
        .on(Holdfast.createLeases(place.openLeases()), place.open());
  }

  /** A cache whose values in memory nobody looks after, on this store. */
  final SharedCache<String, String> on(FaultyCacheStore store) {
    return on(store, PATIENCE);
  }

  final SharedCache<String, String> on(FaultyCacheStore store, Duration patience) {
    return SharedCache.<String, String>named("texts")
        .values(new Texts())
        .localFor(LONG)
        .storePatience(patience)
        .on(Holdfast.createLeases(place.openLeases()), store);
  }

  final SharedCache<String, String> process() {
    return process(settings -> settings);
  }

  /** Answers this, and counts. */
  final CacheLoader<String, String> loader(@Nullable String value) {
    return key -> {
      loads.incrementAndGet();
      return value;
    };
  }

  /** Must not be called. */
  static CacheLoader<String, String> nobody() {
    return key -> {
      throw new AssertionError("must not be loaded");
    };
  }

  /** A loader that has begun when a test says so, and ends when it lets it. */
  final class HeldLoader implements CacheLoader<String, String> {
    final CountDownLatch begun = new CountDownLatch(1);
    private final CountDownLatch go = new CountDownLatch(1);
    private final Supplier<String> answer;

    HeldLoader(Supplier<String> answer) {
      this.answer = answer;
    }

    @Override
    public String load(String key) throws InterruptedException {
      loads.incrementAndGet();
      begun.countDown();
      assertThat(go.await(60, TimeUnit.SECONDS)).isTrue();
      return answer.get();
    }

    void awaitBegun() throws InterruptedException {
      assertThat(begun.await(60, TimeUnit.SECONDS)).isTrue();
    }

    void go() {
      go.countDown();
    }
  }

  /** A call in a thread of its own. */
  final CompletableFuture<String> call(
      SharedCache<String, String> cache, String key, CacheLoader<String, String> loader) {
    return CompletableFuture.supplyAsync(() -> String.valueOf(cache.get(key, loader)), callers);
  }

  static String result(CompletableFuture<String> call) {
    return call.orTimeout(60, TimeUnit.SECONDS).join();
  }
}
