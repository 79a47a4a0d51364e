package dev.holdfast.testing.contract;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.idempotency.Fingerprint;
import dev.holdfast.idempotency.IdempotencyKey;
import dev.holdfast.idempotency.IdempotencyRecord;
import dev.holdfast.idempotency.IdempotencyRecord.StoredResult;
import dev.holdfast.idempotency.spi.IdempotencyStore;
import dev.holdfast.idempotency.spi.IdempotencyStore.ClaimRequest;
import dev.holdfast.idempotency.spi.IdempotencyStore.ClaimResult;
import dev.holdfast.idempotency.spi.IdempotencyStore.Ownership;
import dev.holdfast.idempotency.spi.IdempotencyStore.Step;
import dev.holdfast.idempotency.spi.IdempotencyStore.WorkflowInput;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** What the contracts of idempotency stand on: an empty place, and short words for its steps. */
abstract class IdempotencyTests {
  static final Duration LIMIT = Duration.ofSeconds(60);

  /** So long that nothing in a test waits for it. */
  static final Duration LONG = Duration.ofMinutes(10);

  /** So short that a test can wait until it is over. */
  static final Duration SHORT = Duration.ofMillis(500);

  static final Duration DAY = Duration.ofDays(1);
  static final Fingerprint PAYLOAD = Fingerprint.of("payload");
  static final Fingerprint OTHER_PAYLOAD = Fingerprint.of("other payload");

  private final Supplier<? extends IdempotencyStoreFixture> places;
  IdempotencyStoreFixture place;
  IdempotencyStore store;

  @SuppressWarnings("NullAway.Init")
  IdempotencyTests(Supplier<? extends IdempotencyStoreFixture> places) {
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

  static IdempotencyKey key(String name) {
    return IdempotencyKey.of("pay", name);
  }

  static ClaimRequest request(String name) {
    return request(name, LONG);
  }

  static ClaimRequest request(String name, Duration lease) {
    return request(name, lease, DAY, null);
  }

  static ClaimRequest request(
      String name, Duration lease, Duration retention, @Nullable WorkflowInput work) {
    return new ClaimRequest(key(name), PAYLOAD, UUID.randomUUID(), lease, retention, work);
  }

  static ClaimRequest flow(String name, String flow, Duration lease) {
    return request(name, lease, DAY, new WorkflowInput(flow, bytes("input of " + name)));
  }

  static ClaimRequest with(Fingerprint fingerprint, ClaimRequest request) {
    return new ClaimRequest(
        request.key(),
        fingerprint,
        request.ownerId(),
        request.lease(),
        request.retention(),
        request.work());
  }

  static Ownership hold(ClaimRequest request) {
    return new Ownership(request.key(), request.ownerId());
  }

  static Step step(String name, String value) {
    return new Step(name, bytes(value));
  }

  static byte[] bytes(String text) {
    return text.getBytes(UTF_8);
  }

  static StoredResult answer(String text) {
    return new StoredResult(StoredResult.Kind.RESULT, bytes(text));
  }

  /** Workflows what must be free. */
  final ClaimResult.Granted granted(ClaimRequest request) {
    ClaimResult claimed = store.claim(request);
    assertThat(claimed).as("%s", request).isInstanceOf(ClaimResult.Granted.class);
    return (ClaimResult.Granted) claimed;
  }

  /** Workflows what somebody must hold. */
  final ClaimResult.InProgress busy(ClaimRequest request) {
    ClaimResult claimed = store.claim(request);
    assertThat(claimed).as("%s", request).isInstanceOf(ClaimResult.InProgress.class);
    return (ClaimResult.InProgress) claimed;
  }

  /** Workflows what must be done, and answers with what. */
  final StoredResult done(ClaimRequest request) {
    ClaimResult claimed = store.claim(request);
    assertThat(claimed).as("%s", request).isInstanceOf(ClaimResult.Completed.class);
    return ((ClaimResult.Completed) claimed).result();
  }

  /** Workflows it as soon as somebody else's claim has run out. */
  final ClaimResult.Granted takenOver(ClaimRequest request) throws Exception {
    ClaimResult.Granted[] granted = new ClaimResult.Granted[1];
    await(
        "the claim must run out",
        () -> {
          if (store.claim(request) instanceof ClaimResult.Granted now) {
            granted[0] = now;
          }
          return granted[0] != null;
        });
    return granted[0];
  }

  final IdempotencyRecord record(String name) {
    return store.find(key(name)).orElseThrow();
  }

  final IdempotencyRecord.Status status(String name) {
    return record(name).status();
  }

  /** What a test waits for. */
  interface Condition {
    boolean holds() throws Exception;
  }

  static void await(String what, Condition condition) throws Exception {
    long end = System.nanoTime() + LIMIT.toNanos();
    while (!condition.holds()) {
      assertThat(System.nanoTime() - end).as(what).isNegative();
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(2));
    }
  }
}
