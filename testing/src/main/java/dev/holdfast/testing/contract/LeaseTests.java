package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lease.LeaseKey;
import dev.holdfast.lease.LeaseRequest;
import dev.holdfast.lease.LeaseRequest.Target;
import dev.holdfast.lease.spi.LeaseStore;
import dev.holdfast.lease.spi.LeaseStore.AcquireResult;
import dev.holdfast.lease.spi.LeaseStore.Ownership;
import dev.holdfast.lease.spi.LeaseStore.Request;
import dev.holdfast.lease.spi.LeaseStore.WaitRegistration;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
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

  private final Supplier<LeaseStoreFixture> places;
  LeaseStoreFixture place;
  LeaseStore store;

  @SuppressWarnings("NullAway.Init")
  LeaseTests(Supplier<LeaseStoreFixture> places) {
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

  /** The request for this target. */
  static LeaseRequest lease(Target target, Duration duration) {
    String name = target.key().name();
    return switch (target.key().kind()) {
      case EXCLUSIVE -> LeaseRequest.of(name, duration);
      case READ_WRITE ->
          target.isExclusive()
              ? LeaseRequest.write(name, duration)
              : LeaseRequest.read(name, duration);
      case SEMAPHORE -> LeaseRequest.permits(name, target.permits(), target.capacity(), duration);
    };
  }

  /** Different options of a request. */
  @SafeVarargs
  @SuppressWarnings("varargs")
  static List<UnaryOperator<LeaseRequest>> ways(UnaryOperator<LeaseRequest>... ways) {
    return List.of(ways);
  }

  /** The requests for a group of exclusive leases. */
  static List<LeaseRequest> requests(Collection<String> names, Duration duration) {
    return names.stream().map(name -> LeaseRequest.of(name, duration)).toList();
  }

  static List<LeaseRequest> requests(
      Collection<String> names, Duration duration, Duration waitTimeout) {
    return names.stream()
        .map(name -> LeaseRequest.of(name, duration).waitTimeout(waitTimeout))
        .toList();
  }

  static Request request(Target target, String process, Duration lease) {
    return new Request(target, UUID.randomUUID(), process, lease, null);
  }

  static Request request(String name) {
    return request(Target.exclusive(name), "a#1", LONG);
  }

  static Request waiting(Request request) {
    return with(request, new WaitRegistration(LONG, false));
  }

  static Request queued(Request request, Duration place) {
    return with(request, new WaitRegistration(place, true));
  }

  private static Request with(Request request, @Nullable WaitRegistration waiting) {
    return new Request(
        request.target(), request.ownerId(), request.instanceName(), request.duration(), waiting);
  }

  static Ownership hold(Request request) {
    return new Ownership(request.key(), request.ownerId());
  }

  /** Acquires what must be free, and answers the token. */
  final long granted(Request request) {
    AcquireResult answer = store.acquire(request);
    assertThat(answer).as("%s", request).isInstanceOf(AcquireResult.Granted.class);
    return ((AcquireResult.Granted) answer).token();
  }

  final AcquireResult.Rejected taken(Request request) {
    AcquireResult answer = store.acquire(request);
    assertThat(answer).as("%s", request).isInstanceOf(AcquireResult.Rejected.class);
    return (AcquireResult.Rejected) answer;
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
