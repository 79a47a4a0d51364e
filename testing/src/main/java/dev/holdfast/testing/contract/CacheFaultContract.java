package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Holdfast;
import dev.holdfast.StoreException;
import dev.holdfast.cache.CacheCodec;
import dev.holdfast.cache.SharedCache;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** A cache whose store fails is never worse than no cache. */
public abstract class CacheFaultContract extends CacheTests {
  protected CacheFaultContract(Supplier<CacheStoreFixture> places) {
    super(places);
  }

  @Test
  void nextLoadNeedsNoNotification() {
    FaultyCacheStore store = new FaultyCacheStore(place.open());
    store.deaf = true;
    SharedCache<String, String> cache = on(store);
    int rounds = 10;
    long shortest = Long.MAX_VALUE;
    for (int i = 0; i < rounds; i++) {
      String key = "x" + i;
      long begun = System.nanoTime();
      int watched = store.watched.get();
      // the first answers, and has its lease until the second has seen it
      store.beforePut =
          () -> LeaseTests.await("it must be seen", () -> store.watched.get() > watched);
      assertThat(cache.get(key, loader(null))).isNull();
      assertThat(
              cache.get(
                  key,
                  k -> {
                    store.beforePut = () -> {};
                    return null;
                  }))
          .isNull();
      shortest = Math.min(shortest, System.nanoTime() - begun);
    }

    // who is not told looks again after this time, so that no round could be shorter
    assertThat(Duration.ofNanos(shortest)).isLessThan(Duration.ofMillis(500));
    assertThat(cache.stats().loads()).isEqualTo(2L * rounds);
    assertThat(cache.stats().takeovers()).as("nobody died").isZero();
    assertThat(cache.stats().storeFailures()).isZero();
  }

  @Test
  void anExecutorThatGetsNoThreadCostsNoValue() {
    AtomicBoolean failed = new AtomicBoolean();
    SharedCache<String, String> cache =
        process(
            settings ->
                settings.executor(
                    task -> {
                      if (failed.compareAndSet(false, true)) {
                        throw new InternalError("unable to create native thread");
                      }
                      callers.execute(task);
                    }));

    assertThat(cache.get("x", loader("a"))).isEqualTo("a");

    cache.invalidate("x");
    assertThat(cache.get("x", loader("b"))).as("nor the next one").isEqualTo("b");
    assertThat(loads).hasValue(2);
  }

  @Test
  void loadsLocallyWithoutStore() throws Exception {
    FaultyCacheStore store = new FaultyCacheStore(place.open());
    SharedCache<String, String> cache = on(store);
    store.before =
        () -> {
          throw FaultyCacheStore.gone();
        };
    HeldLoader loader = new HeldLoader(() -> "a");
    List<CompletableFuture<String>> calls = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      calls.add(call(cache, "x", loader));
    }
    LeaseTests.await("they must meet", () -> cache.stats().coalescedLocally() == 9);
    loader.go();

    assertThat(calls).allSatisfy(call -> assertThat(result(call)).isEqualTo("a"));
    assertThat(loads).as("still one per process").hasValue(1);
    assertThat(cache.get("x", nobody())).as("still in memory").isEqualTo("a");
    assertThat(cache.stats().storeAnswers()).isFalse();
    assertThat(cache.stats().storeFailures()).isPositive();
  }

  @Test
  void aStoreThatIsBackIsUsedAgain() {
    FaultyCacheStore store = new FaultyCacheStore(place.open());
    SharedCache<String, String> cache = on(store);
    store.before =
        () -> {
          throw FaultyCacheStore.gone();
        };
    cache.get("x", loader("a"));
    store.before = () -> {};

    LeaseTests.await(
        "it must be used again",
        () -> {
          cache.get("y" + loads.get(), loader("a"));
          return cache.stats().storeAnswers();
        });
    String last = "y" + (loads.get() - 1);
    LeaseTests.await("and share", () -> process().getIfPresent(last).isPresent());
  }

  @Test
  void hangingStoreIsNotCalledByAll() {
    FaultyCacheStore store = new FaultyCacheStore(place.open());
    SharedCache<String, String> cache = on(store, Duration.ofSeconds(1));
    CountDownLatch end = new CountDownLatch(1);
    store.before =
        () -> {
          try {
            end.await();
          } catch (InterruptedException e) {
            throw new IllegalStateException(e);
          }
        };
    for (int i = 0; i < 50; i++) {
      assertThat(cache.get("x" + i, loader("a"))).isEqualTo("a");
    }
    assertThat(store.asked.get()).isLessThan(50);
    assertThat(cache.stats().storeAnswers()).isFalse();
    end.countDown();
  }

  @Test
  void unstorableValueIsReturnedAndKeptLocally() {
    FaultyCacheStore store = new FaultyCacheStore(place.open());
    SharedCache<String, String> cache = on(store);
    SharedCache<String, String> other = process();
    assertThat(
            cache.get(
                "x",
                key -> {
                  store.before =
                      () -> {
                        throw FaultyCacheStore.gone();
                      };
                  return "a";
                }))
        .isEqualTo("a");

    assertThat(cache.get("x", nobody())).isEqualTo("a");
    assertThat(other.get("x", loader("b"))).as("which nobody told of").isEqualTo("b");
  }

  @Test
  void reportsUnstoredInvalidation() {
    FaultyCacheStore store = new FaultyCacheStore(place.open());
    SharedCache<String, String> cache = on(store);
    cache.get("x", loader("a"));
    store.before =
        () -> {
          throw FaultyCacheStore.gone();
        };

    assertThatThrownBy(() -> cache.invalidate("x")).isInstanceOf(StoreException.class);
    assertThat(cache.get("x", loader("b"))).as("here it is gone").isEqualTo("b");
  }

  @Test
  void reloadsUnreadableValue() {
    process().get("x", loader("old version"));
    LeaseTests.await("it must be shared", () -> process().getIfPresent("x").isPresent());
    SharedCache<String, Integer> numbers =
        SharedCache.<String, Integer>named("texts")
            .values(
                new CacheCodec<>() {
                  @Override
                  public byte[] write(Integer value) {
                    return new Texts().write(value.toString());
                  }

                  @Override
                  public Integer read(byte[] bytes) {
                    return Integer.valueOf(new Texts().read(bytes));
                  }
                })
            .storePatience(PATIENCE)
            .on(Holdfast.createLeases(place.openLeases()), place.open());

    assertThat(numbers.get("x", key -> 7)).isEqualTo(7);
    LeaseTests.await(
        "it must take its place", () -> "7".equals(process().getIfPresent("x").orElse("")));
  }

  @Test
  void whatCannotBeWrittenIsKeptHereOnly() {
    SharedCache<String, String> cache =
        SharedCache.<String, String>named("texts")
            .values(
                new CacheCodec<>() {
                  @Override
                  public byte[] write(String value) {
                    throw new IllegalStateException("no words for it");
                  }

                  @Override
                  public String read(byte[] bytes) {
                    return "";
                  }
                })
            .storePatience(PATIENCE)
            .on(Holdfast.createLeases(place.openLeases()), place.open());

    assertThat(cache.get("x", loader("a"))).isEqualTo("a");
    assertThat(cache.get("x", nobody())).isEqualTo("a");
    LeaseTests.await("it is said", () -> cache.stats().storeFailures() == 1);
    assertThat(cache.stats().storeAnswers()).as("the store can do nothing for it").isTrue();
  }

  @Test
  void inMemoryTheStoreIsNotAsked() {
    FaultyCacheStore store = new FaultyCacheStore(place.open());
    SharedCache<String, String> cache = on(store);
    cache.get("x", loader("a"));
    // a value that was got before one listens is looked at once more
    LeaseTests.await(
        "it must calm down",
        () -> {
          int before = store.asked.get();
          for (int i = 0; i < 1000; i++) {
            cache.get("x", nobody());
          }
          return store.asked.get() == before;
        });
  }
}
