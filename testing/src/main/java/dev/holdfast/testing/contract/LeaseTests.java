package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lease.LeaseKey;
import dev.holdfast.lease.LeaseStore;
import dev.holdfast.lease.LeaseStore.Acquired;
import dev.holdfast.lease.LeaseStore.Hold;
import dev.holdfast.lease.LeaseStore.Request;
import dev.holdfast.lease.LeaseStore.Waiting;
import dev.holdfast.lease.LeaseTarget;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** What the contracts of leases stand on: an empty place, and short words for its steps. */
abstract class LeaseTests {
  static final Duration LIMIT = Duration.ofSeconds(60);

  /** So long that nothing in a test waits for it. */
  static final Duration LONG = Duration.ofMinutes(10);

  /** So short that a test can wait until it is over. */
  static final Duration SHORT = Duration.ofMillis(500);

  private final Supplier<LeasePlace> places;
  LeasePlace place;
  LeaseStore store;

  @SuppressWarnings("NullAway.Init")
  LeaseTests(Supplier<LeasePlace> places) {
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

  static Request request(LeaseTarget target, String process, Duration lease) {
    return new Request(target, UUID.randomUUID(), process, lease, null);
  }

  static Request request(String name) {
    return request(LeaseTarget.exclusive(name), "a#1", LONG);
  }

  static Request waiting(Request request) {
    return with(request, new Waiting(LONG, false));
  }

  static Request queued(Request request, Duration place) {
    return with(request, new Waiting(place, true));
  }

  private static Request with(Request request, @Nullable Waiting waiting) {
    return new Request(
        request.target(), request.owner(), request.holder(), request.lease(), waiting);
  }

  static Hold hold(Request request) {
    return new Hold(request.key(), request.owner());
  }

  /** Acquires what must be free, and answers the token. */
  final long granted(Request request) {
    Acquired answer = store.acquire(request);
    assertThat(answer).as("%s", request).isInstanceOf(Acquired.Granted.class);
    return ((Acquired.Granted) answer).token();
  }

  final Acquired.Taken taken(Request request) {
    Acquired answer = store.acquire(request);
    assertThat(answer).as("%s", request).isInstanceOf(Acquired.Taken.class);
    return (Acquired.Taken) answer;
  }

  final boolean isFree(LeaseKey key) {
    return store.find(key).map(record -> record.holders().isEmpty()).orElse(true);
  }

  static void await(String what, BooleanSupplier condition) {
    long end = System.nanoTime() + LIMIT.toNanos();
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).as(what).isLessThan(end);
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(2));
    }
  }
}
