package dev.holdfast.testing.contract;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.idempotency.Fingerprint;
import dev.holdfast.idempotency.IdempotencyKey;
import dev.holdfast.idempotency.IdempotencyRecord;
import dev.holdfast.idempotency.IdempotencyStore;
import dev.holdfast.idempotency.IdempotencyStore.Claimed;
import dev.holdfast.idempotency.IdempotencyStore.FlowInput;
import dev.holdfast.idempotency.IdempotencyStore.Hold;
import dev.holdfast.idempotency.IdempotencyStore.Request;
import dev.holdfast.idempotency.IdempotencyStore.Step;
import dev.holdfast.idempotency.StoredReply;
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

  private final Supplier<? extends IdempotencyPlace> places;
  IdempotencyPlace place;
  IdempotencyStore store;

  @SuppressWarnings("NullAway.Init")
  IdempotencyTests(Supplier<? extends IdempotencyPlace> places) {
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

  static Request request(String name) {
    return request(name, LONG);
  }

  static Request request(String name, Duration lease) {
    return request(name, lease, DAY, null);
  }

  static Request request(
      String name, Duration lease, Duration retention, @Nullable FlowInput work) {
    return new Request(key(name), PAYLOAD, UUID.randomUUID(), lease, retention, work);
  }

  static Request flow(String name, String flow, Duration lease) {
    return request(name, lease, DAY, new FlowInput(flow, bytes("input of " + name)));
  }

  static Request with(Fingerprint fingerprint, Request request) {
    return new Request(
        request.key(),
        fingerprint,
        request.attempt(),
        request.lease(),
        request.retention(),
        request.work());
  }

  static Hold hold(Request request) {
    return new Hold(request.key(), request.attempt());
  }

  static Step step(String name, String value) {
    return new Step(name, bytes(value));
  }

  static byte[] bytes(String text) {
    return text.getBytes(UTF_8);
  }

  static StoredReply answer(String text) {
    return new StoredReply(StoredReply.Kind.ANSWER, bytes(text));
  }

  /** Claims what must be free. */
  final Claimed.Granted granted(Request request) {
    Claimed claimed = store.claim(request);
    assertThat(claimed).as("%s", request).isInstanceOf(Claimed.Granted.class);
    return (Claimed.Granted) claimed;
  }

  /** Claims what somebody must hold. */
  final Claimed.Busy busy(Request request) {
    Claimed claimed = store.claim(request);
    assertThat(claimed).as("%s", request).isInstanceOf(Claimed.Busy.class);
    return (Claimed.Busy) claimed;
  }

  /** Claims what must be done, and answers with what. */
  final StoredReply done(Request request) {
    Claimed claimed = store.claim(request);
    assertThat(claimed).as("%s", request).isInstanceOf(Claimed.Done.class);
    return ((Claimed.Done) claimed).reply();
  }

  /** Claims it as soon as somebody else's claim has run out. */
  final Claimed.Granted takenOver(Request request) throws Exception {
    Claimed.Granted[] granted = new Claimed.Granted[1];
    await(
        "the claim must run out",
        () -> {
          if (store.claim(request) instanceof Claimed.Granted now) {
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
