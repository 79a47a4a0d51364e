package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Holdfast;
import dev.holdfast.InvalidArgumentException;
import dev.holdfast.cache.CacheLoadException;
import dev.holdfast.cache.CacheTimeoutException;
import dev.holdfast.cache.SharedCache;
import dev.holdfast.lease.Lease;
import dev.holdfast.lease.LeaseRequest;
import dev.holdfast.lease.Leases;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** One load for all processes, and what becomes of those who wait for it. */
public abstract class SharedCacheContract extends CacheTests {
  protected SharedCacheContract(Supplier<CacheStoreFixture> places) {
    super(places);
  }

  @Test
  void whatManyWantAtOnceIsLoadedOnce() throws Exception {
    List<SharedCache<String, String>> processes = List.of(process(), process(), process());
    HeldLoader loader = new HeldLoader(() -> "a");
    List<CompletableFuture<String>> calls = new ArrayList<>();
    for (SharedCache<String, String> process : processes) {
      for (int i = 0; i < 10; i++) {
        calls.add(call(process, "x", loader));
      }
    }
    loader.awaitBegun();
    LeaseTests.await(
        "all must wait",
        () -> processes.stream().mapToLong(each -> each.stats().coalescedLocally()).sum() == 27);
    loader.go();

    assertThat(calls).allSatisfy(call -> assertThat(result(call)).isEqualTo("a"));
    assertThat(loads).hasValue(1);
    assertThat(processes.stream().mapToLong(each -> each.stats().loads()).sum()).isEqualTo(1);
    assertThat(
            processes.stream()
                .map(SharedCache::stats)
                .mapToLong(stats -> stats.coalescedRemotely() + stats.sharedHits())
                .sum())
        .isEqualTo(2);
    assertThat(processes.stream().mapToLong(each -> each.stats().takeovers()).sum()).isZero();
  }

  @Test
  void readsStoreBeforeLoading() {
    FaultyCacheStore store = new FaultyCacheStore(place.open());
    SharedCache<String, String> late = on(store);
    store.afterLook.set(
        () -> {
          process().get("x", loader("a"));
          SharedCache<String, String> other = process();
          LeaseTests.await("it must be shared", () -> other.getIfPresent("x").isPresent());
          Leases leases = Holdfast.createLeases(place.openLeases());
          leases.acquire(LeaseRequest.of("cache:texts:x", LONG).waitTimeout(LONG)).release();
        });

    assertThat(late.get("x", nobody())).isEqualTo("a");
    assertThat(late.stats().sharedHits()).as("and not as an old value").isEqualTo(1);
    assertThat(loads).hasValue(1);
  }

  @Test
  void readsValueOfOtherProcess() {
    SharedCache<String, String> first = process();
    SharedCache<String, String> second = process();
    assertThat(first.get("x", loader("a"))).isEqualTo("a");
    LeaseTests.await("it must be shared", () -> second.getIfPresent("x").isPresent());

    assertThat(second.get("x", nobody())).isEqualTo("a");
    assertThat(first.get("x", nobody())).isEqualTo("a");

    assertThat(second.stats().sharedHits()).isEqualTo(1);
    assertThat(second.stats().hits()).isEqualTo(1);
    assertThat(first.stats().hits()).isEqualTo(1);
    assertThat(loads).hasValue(1);
  }

  @Test
  void keysAndCachesHaveTheirOwnValues() {
    SharedCache<String, String> texts = process();
    SharedCache<String, String> others =
        SharedCache.<String, String>named("others")
            .values(new Texts())
            .storePatience(PATIENCE)
            .on(Holdfast.createLeases(place.openLeases()), place.open());
    List<String> keys =
        List.of("x", "X", "x ", "", "a:b", "#", "\u0000", "\ud800", "\udc00", "y".repeat(5000));
    for (String key : keys) {
      String text = "text " + keys.indexOf(key);
      String other = "other " + keys.indexOf(key);
      assertThat(texts.get(key, loader(text))).isEqualTo(text);
      assertThat(others.get(key, loader(other))).isEqualTo(other);
    }
    SharedCache<String, String> again = process();
    for (String key : keys) {
      LeaseTests.await("it must be shared", () -> again.getIfPresent(key).isPresent());
      assertThat(again.get(key, nobody())).isEqualTo("text " + keys.indexOf(key));
    }
  }

  @Test
  void whatIsThereIsSeenWithoutLoading() {
    SharedCache<String, String> first = process();
    assertThat(first.getIfPresent("x")).isEmpty();

    first.get("x", loader("a"));

    assertThat(first.getIfPresent("x")).hasValue("a");
    SharedCache<String, String> second = process();
    LeaseTests.await("it must be shared", () -> second.getIfPresent("x").equals(Optional.of("a")));
  }

  @Test
  void failedLoadReachesItsWaiters() throws Exception {
    SharedCache<String, String> first = process();
    SharedCache<String, String> second = process();
    HeldLoader failing =
        new HeldLoader(
            () -> {
              throw new IllegalStateException("the source is broken");
            });
    CompletableFuture<String> own = call(first, "x", failing);
    failing.awaitBegun();
    CompletableFuture<String> elsewhere = call(second, "x", loader("a"));
    CompletableFuture<String> joined = call(first, "x", nobody());
    LeaseTests.await("it must be joined", () -> first.stats().coalescedLocally() == 1);
    failing.go();

    for (CompletableFuture<String> call : List.of(own, joined)) {
      assertThatThrownBy(() -> result(call))
          .hasCauseInstanceOf(CacheLoadException.class)
          .hasRootCauseMessage("the source is broken");
    }
    assertThat(result(elsewhere)).isEqualTo("a");
    assertThat(loads).hasValue(2);
    assertThat(first.stats().loadFailures()).isEqualTo(1);
    LeaseTests.await("the value must be shared", () -> process().getIfPresent("x").isPresent());
    assertThat(first.get("x", nobody())).isEqualTo("a");
  }

  @Test
  void errorIsSharedForConfiguredTime() {
    SharedCache<String, String> first = process(s -> s.errorsFor(SHORT));
    SharedCache<String, String> second = process(s -> s.errorsFor(SHORT));
    assertThatThrownBy(
            () ->
                first.get(
                    "x",
                    key -> {
                      loads.incrementAndGet();
                      throw new IllegalStateException("broken");
                    }))
        .isInstanceOf(CacheLoadException.class);

    LeaseTests.await(
        "the error must be over",
        () -> {
          try {
            return "a".equals(second.get("x", loader("a")));
          } catch (CacheLoadException e) {
            assertThat(e.isShared()).isTrue();
            assertThat(e).hasMessageContaining("broken");
            return false;
          }
        });
    assertThat(loads).hasValue(2);
  }

  @Test
  void anErrorIsNeverTakenForAnEmptyAnswer() {
    SharedCache<String, String> cache = process(s -> s.errorsFor(LONG));
    for (int i = 0; i < 20; i++) {
      String key = "x" + i;
      for (String error : List.of("broken", "again")) {
        assertThatThrownBy(
                () ->
                    cache.get(
                        key,
                        k -> {
                          throw new IllegalStateException(error);
                        }))
            .isInstanceOf(CacheLoadException.class)
            .hasMessageContaining("broken");
      }
      assertThat(cache.getIfPresent(key)).isEmpty();
    }
    assertThat(cache.stats().hits()).isZero();
    assertThat(cache.stats().sharedHits()).isZero();
  }

  @Test
  void emptyResultHasItsOwnTtl() {
    SharedCache<String, String> forgetful = process();
    assertThat(forgetful.get("x", loader(null))).isNull();
    assertThat(forgetful.get("x", loader(null))).isNull();
    assertThat(loads).as("not remembered").hasValue(2);

    SharedCache<String, String> first = process(s -> s.emptyFor(SHORT));
    SharedCache<String, String> second = process(s -> s.emptyFor(SHORT));
    assertThat(first.get("y", loader(null))).isNull();
    assertThat(first.get("y", nobody())).isNull();
    LeaseTests.await("it must be loaded again", () -> "a".equals(second.get("y", loader("a"))));
    assertThat(loads).hasValue(4);
  }

  @Test
  void anEmptyAnswerTakesThePlaceOfAnOldValue() {
    SharedCache<String, String> first = process(s -> s.freshFor(SHORT).fallbackFor(LONG));
    first.get("x", loader("a"));
    LeaseTests.await("it must be over", () -> first.get("x", loader(null)) == null);

    SharedCache<String, String> second = process(s -> s.fallbackFor(LONG));
    LeaseTests.await(
        "no old value is left",
        () -> {
          try {
            // as long as the first one gives it to the others, they are answered by that load
            assertThat(second.get("x", key -> broken())).isNull();
            return false;
          } catch (CacheLoadException e) {
            return true;
          }
        });
  }

  private static String broken() {
    throw new IllegalStateException("broken");
  }

  @Test
  void waitsUntilDeadlineOnly() throws Exception {
    SharedCache<String, String> first = process();
    SharedCache<String, String> second = process();
    HeldLoader slow = new HeldLoader(() -> "a");
    CompletableFuture<String> leader = call(first, "x", slow);
    slow.awaitBegun();

    for (SharedCache<String, String> process : List.of(first, second)) {
      assertThatThrownBy(() -> process.get("x", nobody(), Duration.ofMillis(50)))
          .isInstanceOf(CacheTimeoutException.class)
          .hasMessageContaining("PT0.05S");
      assertThat(process.stats().waitsOver()).isEqualTo(1);
    }
    slow.go();
    assertThat(result(leader)).isEqualTo("a");
  }

  @Test
  void interruptedWaiterLeavesLoadRunning() throws Exception {
    SharedCache<String, String> cache = process();
    HeldLoader slow = new HeldLoader(() -> "a");
    CompletableFuture<String> call = new CompletableFuture<>();
    Thread caller =
        new Thread(
            () -> {
              try {
                cache.get("x", slow);
              } catch (CacheTimeoutException e) {
                call.complete(e.code() + " " + Thread.currentThread().isInterrupted());
              }
            });
    caller.start();
    slow.awaitBegun();
    caller.interrupt();

    assertThat(result(call)).isEqualTo("cache-interrupted true");
    slow.go();
    assertThat(cache.get("x", nobody())).isEqualTo("a");
  }

  @Test
  void otherLoadsAfterLeaseOfDeadLoader() {
    Leases dead = Holdfast.createLeases(place.openLeases());
    Lease lease = dead.tryAcquire("cache:texts:x", Duration.ofSeconds(1)).orElseThrow();
    List<SharedCache<String, String>> processes = List.of(process(), process());
    List<CompletableFuture<String>> calls =
        processes.stream().map(process -> call(process, "x", loader("a"))).toList();

    assertThat(calls).allSatisfy(call -> assertThat(result(call)).isEqualTo("a"));
    assertThat(lease.isValid()).isFalse();
    assertThat(loads).hasValue(1);
    assertThat(processes.stream().mapToLong(each -> each.stats().takeovers()).sum()).isEqualTo(1);
  }

  @Test
  void aLoadLongerThanTheLeaseKeepsIt() throws Exception {
    SharedCache<String, String> first = process(s -> s.lease(Duration.ofMillis(1500)));
    SharedCache<String, String> second = process(s -> s.lease(Duration.ofMillis(1500)));
    HeldLoader slow = new HeldLoader(() -> "a");
    CompletableFuture<String> leader = call(first, "x", slow);
    slow.awaitBegun();

    assertThatThrownBy(() -> second.get("x", nobody(), Duration.ofSeconds(4)))
        .isInstanceOf(CacheTimeoutException.class);
    slow.go();
    assertThat(result(leader)).isEqualTo("a");
    assertThat(second.get("x", nobody())).isEqualTo("a");
  }

  @Test
  void laterCallersSkipSlowLoad() throws Exception {
    SharedCache<String, String> first = process(s -> s.maxLoadTime(SHORT));
    SharedCache<String, String> second = process();
    HeldLoader stuck = new HeldLoader(() -> "old");
    CompletableFuture<String> leader = call(first, "x", stuck);
    stuck.awaitBegun();

    assertThat(second.get("x", loader("new"))).isEqualTo("new");
    assertThat(first.get("x", nobody())).isEqualTo("new");
    stuck.go();
    assertThat(result(leader)).isEqualTo("old");
    assertThat(first.get("x", nobody())).isEqualTo("new");
    assertThat(process().get("x", nobody())).isEqualTo("new");
  }

  @Test
  void aLoaderMayAskForAnotherKey() {
    SharedCache<String, String> cache = process();

    String value = cache.get("x", key -> "x" + cache.get("y", other -> "y"));

    assertThat(value).isEqualTo("xy");
  }

  @Test
  @SuppressWarnings({"DataFlowIssue", "NullAway"}) // what is not checked at compile time everywhere
  void withoutAKeyOrALoaderItSaysSo() {
    SharedCache<String, String> cache = process();
    List<ThrowingCallable> keyless =
        List.of(
            () -> cache.get(null, nobody()),
            () -> cache.get(null, nobody(), SHORT),
            () -> cache.getIfPresent(null),
            () -> cache.invalidate(null));
    for (ThrowingCallable call : keyless) {
      assertThatThrownBy(call)
          .isInstanceOf(InvalidArgumentException.class)
          .hasMessage("key must not be null");
    }
    assertThatThrownBy(() -> cache.get("x", null))
        .isInstanceOf(InvalidArgumentException.class)
        .hasMessage("loader must not be null");
    assertThat(cache.get("x", loader("a"))).isEqualTo("a");
  }

  @Test
  void itsTextSaysWhatItIs() {
    SharedCache<String, String> cache = process();
    cache.get("x", loader("a"));

    assertThat(cache)
        .asString()
        .startsWith("SharedCache[name=texts, inMemory=1, stats=")
        .contains("loads=1");
  }
}
