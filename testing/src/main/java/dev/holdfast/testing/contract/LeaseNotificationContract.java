package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lease.LeaseKey;
import dev.holdfast.lease.LeaseRequest.Target;
import dev.holdfast.lease.spi.LeaseStore;
import dev.holdfast.lease.spi.LeaseStore.Request;
import dev.holdfast.lease.spi.LeaseStore.Subscription;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a store tells those who subscribe, if it can tell. */
public abstract class LeaseNotificationContract extends LeaseTests {
  private final Queue<String> heard = new ConcurrentLinkedQueue<>();

  private final LeaseStore.Listener listener =
      new LeaseStore.Listener() {
        @Override
        public void onReleased(LeaseKey key, @Nullable UUID next) {
          heard.add("released " + key.name() + (next == null ? "" : " " + next));
        }

        @Override
        public void onRevoked(LeaseKey key, @Nullable UUID owner) {
          heard.add("revoked " + key.name());
        }

        @Override
        public void onResync() {
          heard.add("missed");
        }
      };

  protected LeaseNotificationContract(Supplier<LeaseStoreFixture> places) {
    super(places);
  }

  @BeforeEach
  void onlyWhereItTells() {
    Assumptions.assumeTrue(place.tells(), "this store tells nobody");
  }

  private Subscription subscribed() {
    Subscription subscription = place.open().subscribe(listener);
    await("it must hear", () -> subscription.isActive() && heard.contains("missed"));
    return subscription;
  }

  private void awaitHeard(String what) {
    await("must be told: " + what + ", was told " + heard, () -> heard.contains(what));
  }

  @Test
  void notifiesOtherProcessOfRelease() {
    try (Subscription subscription = subscribed()) {
      Request holder = request("x |1");
      granted(holder);
      taken(waiting(request(Target.exclusive("x |1"), "b#2", LONG)));

      store.release(hold(holder), null);

      awaitHeard("released x |1");
      assertThat(subscription.isActive()).isTrue();
    }
  }

  @Test
  void skipsNotificationWithoutWaiters() {
    try (Subscription subscription = subscribed()) {
      Request alone = request("alone");
      granted(alone);
      store.release(hold(alone), null);
      Request same = request("same process");
      granted(same);
      taken(waiting(request("same process")));
      store.release(hold(same), null);
      Request holder = request("last");
      granted(holder);
      taken(waiting(request(Target.exclusive("last"), "b#2", LONG)));
      store.release(hold(holder), null);

      awaitHeard("released last");

      assertThat(heard).doesNotContain("released alone", "released same process");
      assertThat(subscription.isActive()).isTrue();
    }
  }

  @Test
  void notifiesNextInTurn() {
    for (Target target : java.util.List.of(Target.exclusive("q"), Target.write("q"))) {
      try (Subscription subscription = subscribed()) {
        Request holder = request(target, "a#1", LONG);
        Request first = queued(request(target, "b#2", LONG), LONG);
        granted(holder);
        taken(first);
        taken(queued(request(target, "c#3", LONG), LONG));

        store.release(hold(holder), null);

        awaitHeard("released q " + first.ownerId());
        assertThat(subscription.isActive()).isTrue();
      }
    }
  }

  @Test
  void notifiesNextReader() {
    try (Subscription subscription = subscribed()) {
      Request writer = request(Target.write("q"), "a#1", LONG);
      Request first = queued(request(Target.read("q"), "b#2", LONG), LONG);
      Request second = queued(request(Target.read("q"), "c#3", LONG), LONG);
      granted(writer);
      taken(first);
      taken(second);
      store.release(hold(writer), null);
      awaitHeard("released q " + first.ownerId());

      granted(first);

      awaitHeard("released q " + second.ownerId());
      granted(second);
      assertThat(subscription.isActive()).isTrue();
    }
  }

  @Test
  void notifiesOfForcedRelease() {
    try (Subscription subscription = subscribed()) {
      granted(request("x"));
      granted(request(Target.read("y"), "a#1", LONG));

      store.forceRelease(LeaseKey.exclusive("x"));
      store.forceRelease(LeaseKey.readWrite("y"));

      awaitHeard("revoked x");
      awaitHeard("revoked y");
      assertThat(subscription.isActive()).isTrue();
    }
  }
}
