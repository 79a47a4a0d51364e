package dev.holdfast.redis;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.idempotency.Fingerprint;
import dev.holdfast.idempotency.IdempotencyKey;
import dev.holdfast.idempotency.IdempotencyStore;
import dev.holdfast.idempotency.IdempotencyStore.Claimed;
import dev.holdfast.idempotency.IdempotencyStore.FlowInput;
import dev.holdfast.idempotency.IdempotencyStore.Hold;
import dev.holdfast.idempotency.IdempotencyStore.Request;
import dev.holdfast.idempotency.IdempotencyStore.Step;
import dev.holdfast.idempotency.StoredReply;
import java.time.Duration;
import java.util.UUID;

/** Short words for the steps of tests of claims. */
final class Claiming {
  /** So long that nothing in a test waits for it. */
  static final Duration LEASE = Duration.ofMinutes(10);

  static final Duration DAY = Duration.ofDays(1);
  static final Fingerprint PAYLOAD = Fingerprint.of("payload");
  static final StoredReply DONE = new StoredReply(StoredReply.Kind.ANSWER, bytes("done"));

  private Claiming() {}

  static IdempotencyKey key() {
    return IdempotencyKey.of("pay", UUID.randomUUID().toString());
  }

  static Request request(IdempotencyKey key) {
    return request(key, LEASE, DAY);
  }

  static Request request(IdempotencyKey key, Duration lease, Duration retention) {
    return new Request(key, PAYLOAD, UUID.randomUUID(), lease, retention, null);
  }

  static Request flow(IdempotencyKey key, String flow) {
    return flow(key, flow, LEASE);
  }

  static Request flow(IdempotencyKey key, String flow, Duration lease) {
    FlowInput work = new FlowInput(flow, bytes("input"));
    return new Request(key, PAYLOAD, UUID.randomUUID(), lease, DAY, work);
  }

  static Hold hold(Request request) {
    return new Hold(request.key(), request.attempt());
  }

  static Step step(String name) {
    return new Step(name, bytes("of " + name));
  }

  static byte[] bytes(String text) {
    return text.getBytes(UTF_8);
  }

  static Claimed.Granted granted(IdempotencyStore store, Request request) {
    Claimed claimed = store.claim(request);
    assertThat(claimed).isInstanceOf(Claimed.Granted.class);
    return (Claimed.Granted) claimed;
  }
}
