package dev.holdfast.redis;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.idempotency.Fingerprint;
import dev.holdfast.idempotency.IdempotencyKey;
import dev.holdfast.idempotency.IdempotencyRecord.StoredResult;
import dev.holdfast.idempotency.spi.IdempotencyStore;
import dev.holdfast.idempotency.spi.IdempotencyStore.ClaimRequest;
import dev.holdfast.idempotency.spi.IdempotencyStore.ClaimResult;
import dev.holdfast.idempotency.spi.IdempotencyStore.Ownership;
import dev.holdfast.idempotency.spi.IdempotencyStore.Step;
import dev.holdfast.idempotency.spi.IdempotencyStore.WorkflowInput;
import java.time.Duration;
import java.util.UUID;

/** Short words for the steps of tests of claims. */
final class IdempotencyRequests {
  /** So long that nothing in a test waits for it. */
  static final Duration LEASE = Duration.ofMinutes(10);

  static final Duration DAY = Duration.ofDays(1);
  static final Fingerprint PAYLOAD = Fingerprint.of("payload");
  static final StoredResult DONE = new StoredResult(StoredResult.Kind.RESULT, bytes("done"));

  private IdempotencyRequests() {}

  static IdempotencyKey key() {
    return IdempotencyKey.of("pay", UUID.randomUUID().toString());
  }

  static ClaimRequest request(IdempotencyKey key) {
    return request(key, LEASE, DAY);
  }

  static ClaimRequest request(IdempotencyKey key, Duration lease, Duration retention) {
    return new ClaimRequest(key, PAYLOAD, UUID.randomUUID(), lease, retention, null);
  }

  static ClaimRequest flow(IdempotencyKey key, String flow) {
    return flow(key, flow, LEASE);
  }

  static ClaimRequest flow(IdempotencyKey key, String flow, Duration lease) {
    WorkflowInput work = new WorkflowInput(flow, bytes("input"));
    return new ClaimRequest(key, PAYLOAD, UUID.randomUUID(), lease, DAY, work);
  }

  static Ownership hold(ClaimRequest request) {
    return new Ownership(request.key(), request.ownerId());
  }

  static Step step(String name) {
    return new Step(name, bytes("of " + name));
  }

  static byte[] bytes(String text) {
    return text.getBytes(UTF_8);
  }

  static ClaimResult.Granted granted(IdempotencyStore store, ClaimRequest request) {
    ClaimResult claimed = store.claim(request);
    assertThat(claimed).isInstanceOf(ClaimResult.Granted.class);
    return (ClaimResult.Granted) claimed;
  }
}
