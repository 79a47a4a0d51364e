package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.LeaseLostException;
import dev.holdfast.idempotency.IdempotencyRecord;
import dev.holdfast.idempotency.IdempotencyRecord.Status;
import dev.holdfast.idempotency.IdempotencyRequest;
import dev.holdfast.idempotency.IdempotencyResult;
import dev.holdfast.idempotency.IdempotencyResult.InProgress;
import dev.holdfast.idempotency.IdempotencyResult.KeyReused;
import dev.holdfast.idempotency.spi.IdempotencyStore.ClaimRequest;
import dev.holdfast.idempotency.spi.IdempotencyStore.Ownership;
import dev.holdfast.testing.contract.FaultyIdempotencyStore.Call;
import dev.holdfast.workflow.OpenWorkflow;
import dev.holdfast.workflow.Workflows;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** Defects that were found in public libraries, by the names of the research: not here. */
public abstract class WorkflowDefectsContract extends WorkflowTests {
  protected WorkflowDefectsContract(Supplier<? extends IdempotencyStoreFixture> places) {
    super(places);
  }

  /** I1: the payload was saved at completion only, so that a mismatch in flight looked busy. */
  @Test
  void theFingerprintIsThereFromTheClaimOn() {
    OpenWorkflow claim = open(claims, "x");

    assertThat(record("x").fingerprint()).isEqualTo(PAYLOAD);
    IdempotencyResult<String> told =
        claims.run(IdempotencyRequest.of(key("x"), TEXT).fingerprint(OTHER_PAYLOAD), c -> "no");

    assertThat(told).isInstanceOf(KeyReused.class);
    assertThat(claim.isLeaseValid()).isTrue();
  }

  /** I2: complete, release and extend had no token. */
  @Test
  void requiresTokenOfAttempt() {
    ClaimRequest held = request("x");
    granted(held);
    store.record(hold(held), step("a", "1"), LONG);
    IdempotencyRecord before = record("x");
    Ownership stranger = new Ownership(key("x"), UUID.randomUUID());

    assertThat(store.renew(stranger, Duration.ofMillis(1))).isFalse();
    assertThat(store.record(stranger, step("b", "2"), Duration.ofMillis(1))).isFalse();
    assertThat(store.complete(stranger, answer("stranger"), DAY)).isFalse();
    assertThat(store.release(stranger, Duration.ZERO)).isFalse();

    assertThat(record("x")).isEqualTo(before);
    assertThat(busy(request("x")).leaseRemaining()).isGreaterThan(LONG.minusMinutes(1));
  }

  /** I2: after a steal, the zombie's heartbeat prolonged the thief's claim. */
  @Test
  void aZombieDoesNotProlongTheClaimOfTheThief() throws Exception {
    ClaimRequest zombie = request("x", SHORT);
    granted(zombie);
    ClaimRequest thief = request("x", SHORT);
    takenOver(thief);

    assertThat(store.renew(hold(zombie), LONG)).isFalse();

    takenOver(request("x"));
  }

  /** I3: a waiting duplicate that gave up removed the claim of the original. */
  @Test
  void timedOutDuplicateChangesNothing() {
    OpenWorkflow claim = open(claims, "x");
    claim.step("a", TEXT, () -> "1");
    IdempotencyRecord before = record("x");

    for (int i = 0; i < 3; i++) {
      assertThat(
              with(o -> o.waitTimeout(Duration.ofMillis(50)))
                  .run(IdempotencyRequest.of(key("x"), TEXT).fingerprint(PAYLOAD), c -> "no"))
          .isInstanceOf(InProgress.class);
    }

    assertThat(record("x")).isEqualTo(before);
    claim.complete(bytes("done"));
  }

  /** I3: "it succeeded, saving failed" freed the claim, and the retry ran it again. */
  @Test
  void unsavedSuccessKeepsClaim() {
    faulty.before(
        Call.COMPLETE,
        count -> {
          throw FaultyIdempotencyStore.lost();
        });
    assertThatThrownBy(() -> run("x", claim -> "done")).hasMessageContaining("cable");

    assertThat(status("x")).isEqualTo(Status.IN_PROGRESS);
    assertThat(
            claimsOn(store)
                .run(IdempotencyRequest.of(key("x"), TEXT).fingerprint(PAYLOAD), c -> "twice"))
        .isInstanceOf(InProgress.class);
  }

  /** I4: a first attempt that had timed out overwrote or deleted the record of the second. */
  @Test
  void timedOutAttemptCannotOverwriteSecond() throws Exception {
    CountDownLatch over = new CountDownLatch(1);
    faulty.before(
        Call.RENEW,
        count -> {
          waitFor(over);
          throw FaultyIdempotencyStore.lost();
        });
    OpenWorkflow writes = open(with(o -> o.leaseDuration(SHORT)), "x");
    OpenWorkflow fails = open(with(o -> o.leaseDuration(SHORT)), "y");
    Workflows others = claimsOn(store, o -> o.waitTimeout(LIMIT));
    assertThat(
            others
                .run(IdempotencyRequest.of(key("x"), TEXT).fingerprint(PAYLOAD), c -> "second")
                .orElseThrow())
        .isEqualTo("second");
    assertThat(
            others
                .run(IdempotencyRequest.of(key("y"), TEXT).fingerprint(PAYLOAD), c -> "second")
                .orElseThrow())
        .isEqualTo("second");

    assertThatThrownBy(() -> writes.complete(bytes("first")))
        .isInstanceOf(LeaseLostException.class);
    assertThat(fails.release()).isFalse();
    over.countDown();

    assertThat(done(request("x"))).isEqualTo(answer("second"));
    assertThat(done(request("y"))).isEqualTo(answer("second"));
  }
}
