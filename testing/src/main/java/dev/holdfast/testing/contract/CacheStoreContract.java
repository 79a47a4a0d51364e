package dev.holdfast.testing.contract;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.cache.CacheStore;
import dev.holdfast.cache.CacheStore.Entry;
import dev.holdfast.cache.CacheStore.Found;
import dev.holdfast.cache.CacheStore.Value;
import dev.holdfast.testing.ConcurrentActors;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Cached values in a store. */
public abstract class CacheStoreContract {
  private static final Duration LONG = Duration.ofMinutes(10);
  private static final Duration SHORT = Duration.ofMillis(250);

  private final Supplier<CacheStoreFixture> places;
  private CacheStoreFixture place;
  private CacheStore store;

  @SuppressWarnings("NullAway.Init")
  protected CacheStoreContract(Supplier<CacheStoreFixture> places) {
    this.places = places;
  }

  @BeforeEach
  final void openPlace() {
    place = places.get();
    store = place.open();
  }

  @AfterEach
  final void closePlace() {
    if (place != null) { // else there is no such database
      place.close();
    }
  }

  private static Value value(String name, String body, long token, long generation) {
    return new Value(name, body.getBytes(UTF_8), token, generation, LONG, LONG.multipliedBy(2));
  }

  private boolean put(String body, long token, long generation) {
    return store.put(value("x", body, token, generation));
  }

  private String body(String name) {
    Entry entry = store.get(name).entry();
    return entry == null ? "nothing" : new String(entry.body(), UTF_8);
  }

  @Test
  void ofWhatWasNeverStoredNothingIsKnown() {
    assertThat(store.get("x")).isEqualTo(Found.NOTHING);
    assertThat(store.watch("x", LONG).entry()).isNull();
    assertThat(store.get("x")).as("after somebody waited for it").isEqualTo(Found.NOTHING);
  }

  @Test
  void returnsValueWithTokenAndTimes() {
    assertThat(put("a", 7, 0)).isTrue();

    for (Found found : List.of(store.get("x"), store.watch("x", LONG), place.open().get("x"))) {
      Entry entry = Objects.requireNonNull(found.entry());
      assertThat(entry.body()).isEqualTo("a".getBytes(UTF_8));
      assertThat(entry.token()).isEqualTo(7);
      assertThat(entry.freshFor()).isBetween(LONG.minusMinutes(1), LONG);
      assertThat(entry.keptFor())
          .isBetween(LONG.multipliedBy(2).minusMinutes(1), LONG.multipliedBy(2));
      assertThat(found.generation()).isZero();
    }
  }

  @Test
  void aValueIsFreshThenOldThenGone() {
    store.put(new Value("old", new byte[] {1}, 1, 0, SHORT, LONG));
    store.put(new Value("gone", new byte[] {1}, 1, 0, SHORT, SHORT));

    LeaseTests.await(
        "it must be stale", () -> requireEntry("old").freshFor().equals(Duration.ZERO));
    assertThat(requireEntry("old").keptFor()).isPositive();
    LeaseTests.await("it must be gone", () -> store.get("gone").entry() == null);
  }

  private Entry requireEntry(String name) {
    return Objects.requireNonNull(store.get(name).entry());
  }

  @Test
  void olderTokenNeverReplacesNewer() {
    assertThat(put("new", 8, 0)).isTrue();

    assertThat(put("old", 7, 0)).isFalse();
    assertThat(body("x")).isEqualTo("new");
    assertThat(put("again", 8, 0)).as("repeated").isTrue();
    assertThat(put("newer", 9, 0)).isTrue();
    assertThat(body("x")).isEqualTo("newer");
  }

  @Test
  void rejectsOlderTokenAfterExpiry() {
    store.put(new Value("x", new byte[] {1}, 8, 0, Duration.ZERO, Duration.ZERO));

    assertThat(put("old", 7, 0)).isFalse();
    assertThat(body("x")).isEqualTo("nothing");
  }

  @Test
  void aValueThatIsNotKeptRemovesWhatWasThere() {
    put("a", 7, 0);

    assertThat(store.put(new Value("x", new byte[] {1}, 8, 0, Duration.ZERO, Duration.ZERO)))
        .isTrue();
    assertThat(body("x")).isEqualTo("nothing");
  }

  @Test
  void rejectsLoadFromBeforeInvalidation() {
    put("a", 7, 0);
    long before = store.get("x").generation();

    store.invalidate("x");

    assertThat(body("x")).isEqualTo("nothing");
    assertThat(put("old", 8, before)).isFalse();
    assertThat(put("old", Long.MAX_VALUE, before)).isFalse();
    assertThat(body("x")).isEqualTo("nothing");
    long after = store.get("x").generation();
    assertThat(after).isGreaterThan(before);
    assertThat(put("new", 9, after)).isTrue();
    assertThat(body("x")).isEqualTo("new");
    assertThat(store.get("x").generation()).isEqualTo(after);
  }

  @Test
  void whatWasNeverStoredCanBeInvalidatedToo() {
    store.invalidate("x");

    assertThat(put("old", 8, 0)).isFalse();
    assertThat(put("new", 8, store.get("x").generation())).isTrue();
  }

  @Test
  void generationsGrowHoweverFast() {
    long last = 0;
    for (int i = 0; i < 20; i++) {
      store.invalidate("x");
      long generation = store.get("x").generation();
      assertThat(generation).isGreaterThan(last);
      last = generation;
    }
  }

  @Test
  void aGenerationThatTheStoreHasLostIsRefused() {
    store.invalidate("x");
    long generation = store.get("x").generation();

    place.loseEverything();

    assertThat(store.get("x").generation()).isNotEqualTo(generation);
    assertThat(put("old", 8, generation)).isFalse();
    assertThat(put("new", 8, store.get("x").generation())).isTrue();
  }

  @Test
  void remembersInvalidationDuringLoad() {
    store.invalidate("x");
    put("a", 8, store.get("x").generation());
    store.invalidate("x");

    store.forget();

    assertThat(put("old", 9, 0)).isFalse();
  }

  @Test
  void namesAreComparedCharacterByCharacter() {
    List<String> names =
        List.of(
            "a",
            "A",
            "a ",
            " a",
            "\u00e4",
            "a\u0308",
            "a\t",
            "a\n",
            "%",
            "'",
            "{a}",
            "a|b",
            "\ud83d\ude00",
            "a:b:c",
            "\u00df",
            "ss",
            "\u200b",
            "\uffff",
            "x".repeat(CacheStore.MAX_NAME_LENGTH),
            "\ud83d\ude00".repeat(CacheStore.MAX_NAME_LENGTH / 2));
    for (String name : names) {
      assertThat(store.put(value(name, name, 1, 0))).isTrue();
    }
    for (String name : names) {
      assertThat(body(name)).isEqualTo(name);
    }
  }

  @Test
  void valuesAreAnyBytes() {
    byte[] large = new byte[CacheStore.MAX_BODY_SIZE];
    new Random(1).nextBytes(large);
    byte[] all = new byte[256];
    for (int i = 0; i < all.length; i++) {
      all[i] = (byte) i;
    }
    long token = 0;
    for (byte[] body : List.of(all, new byte[0], large)) {
      assertThat(store.put(new Value("x", body, ++token, 0, LONG, LONG))).isTrue();
      assertThat(requireEntry("x").body()).isEqualTo(body);
    }
  }

  @Test
  void ofManyAtOnceTheNewestTokenStays() {
    for (int round = 0; round < 5; round++) {
      String name = "x" + round;
      ConcurrentActors.run(
              8, index -> place.open().put(value(name, Integer.toString(index), index + 1, 0)))
          .resultsOrThrow();
      assertThat(body(name)).isEqualTo("7");
    }
  }

  @Test
  void valueBelongsToGenerationOfLoader() {
    AtomicLong tokens = new AtomicLong();
    ConcurrentActors.run(
            8,
            index -> {
              for (int i = 0; i < 30; i++) {
                Found found = store.get("x");
                Entry entry = found.entry();
                if (entry != null) {
                  assertThat(new String(entry.body(), UTF_8)).isEqualTo("" + found.generation());
                }
                if (index == 0) {
                  store.invalidate("x");
                } else {
                  put("" + found.generation(), tokens.incrementAndGet(), found.generation());
                }
              }
              return 0;
            })
        .resultsOrThrow();
  }
}
