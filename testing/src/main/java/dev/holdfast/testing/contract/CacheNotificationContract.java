package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.cache.CacheStore;
import dev.holdfast.cache.CacheStore.Subscription;
import dev.holdfast.cache.CacheStore.Value;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a store of cached values tells, if it can. */
public abstract class CacheNotificationContract {
  private static final Duration LONG = Duration.ofMinutes(10);

  private final Supplier<CacheStoreFixture> places;
  private final Queue<String> heard = new ConcurrentLinkedQueue<>();
  private CacheStoreFixture place;
  private CacheStore store;

  @SuppressWarnings("NullAway.Init")
  protected CacheNotificationContract(Supplier<CacheStoreFixture> places) {
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

  private Subscription subscribe(CacheStore to, String who) {
    return to.subscribe(
        new CacheStore.Listener() {
          @Override
          public void changed(String name) {
            heard.add(who + " changed " + name);
          }

          @Override
          public void invalidated(String name) {
            heard.add(who + " invalidated " + name);
          }

          @Override
          public void missed() {
            heard.add(who + " missed");
          }
        });
  }

  private static Value value(String name) {
    return new Value(name, new byte[] {1}, 1, 0, LONG, LONG);
  }

  @Test
  void reportsMissedNotifications() {
    try (Subscription subscription = subscribe(store, "a")) {
      if (place.tells()) {
        LeaseTests.await("it must hear", subscription::hears);
      } else {
        store.put(value("x"));
        assertThat(subscription.hears()).isFalse();
      }
    }
  }

  @Test
  void notifiesWaitersOfValuesAndFailedLoads() {
    if (place.tells()) {
      CacheStore other = place.open();
      try (Subscription subscription = subscribe(other, "a")) {
        LeaseTests.await("it must hear", subscription::hears);
        other.watch("stored", LONG);
        other.watch("failed", LONG);

        store.put(value("stored"));
        store.tell("failed");

        hears("a changed stored", "a changed failed");
      }
    }
  }

  @Test
  void notifiesWaitersOfEarlierValues() {
    if (place.tells()) {
      store.invalidate("x");
      long generation = store.get("x").generation();
      store.put(new Value("x", new byte[] {1}, 1, generation, LONG, LONG));
      try (Subscription subscription = subscribe(store, "a")) {
        LeaseTests.await("it must hear", subscription::hears);
        store.watch("x", LONG);

        place.open().put(new Value("x", new byte[] {2}, 2, generation, LONG, LONG));

        hears("a changed x");
      }
    }
  }

  @Test
  void notifiesAllOfInvalidation() {
    if (place.tells()) {
      try (Subscription first = subscribe(store, "a");
          Subscription second = subscribe(store, "b");
          Subscription third = subscribe(place.open(), "c")) {
        LeaseTests.await("they must hear", () -> first.hears() && second.hears() && third.hears());
        String odd = "\u00e4|:' \ud83d\ude00".repeat(20);

        store.invalidate(odd);

        hears("a invalidated " + odd, "b invalidated " + odd, "c invalidated " + odd);
        assertThat(heard).as("and that it may have missed something before").contains("a missed");
      }
    }
  }

  @Test
  void closedSubscriptionGetsNoNotifications() {
    if (place.tells()) {
      Subscription first = subscribe(store, "a");
      try (Subscription second = subscribe(store, "b")) {
        LeaseTests.await("it must hear", second::hears);
        first.close();

        store.invalidate("x");

        hears("b invalidated x");
        assertThat(heard).doesNotContain("a invalidated x");
      }
    }
  }

  private void hears(String... what) {
    LeaseTests.await(
        "it must hear " + String.join(", ", what), () -> heard.containsAll(List.of(what)));
  }
}
