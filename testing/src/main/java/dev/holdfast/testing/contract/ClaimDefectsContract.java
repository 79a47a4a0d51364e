package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.idempotency.Claim;
import dev.holdfast.idempotency.ClaimLostException;
import dev.holdfast.idempotency.Claims;
import dev.holdfast.idempotency.IdempotencyRecord;
import dev.holdfast.idempotency.IdempotencyRecord.Status;
import dev.holdfast.idempotency.IdempotencyStore.Hold;
import dev.holdfast.idempotency.IdempotencyStore.Request;
import dev.holdfast.idempotency.OnceResult;
import dev.holdfast.idempotency.OnceResult.InProgress;
import dev.holdfast.idempotency.OnceResult.Mismatch;
import dev.holdfast.testing.contract.FaultyIdempotencyStore.Call;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** Defects that were found in public libraries, by the names of the research: not here. */
public abstract class ClaimDefectsContract extends ClaimTests {
  protected ClaimDefectsContract(Supplier<? extends IdempotencyPlace> places) {
    super(places);
  }

  /** I1: the payload was saved at completion only, so that a mismatch in flight looked busy. */
  @Test
  void theFingerprintIsThereFromTheClaimOn() {
    Claim claim = open(claims, "x");

    assertThat(record("x").fingerprint()).isEqualTo(PAYLOAD);
    OnceResult<String> told = claims.run(key("x"), OTHER_PAYLOAD, TEXT, c -> "no");

    assertThat(told).isInstanceOf(Mismatch.class);
    assertThat(claim.isHeld()).isTrue();
  }

  /** I2: complete, release and extend had no token. */
  @Test
  void withoutTheTokenOfTheAttemptNothingChanges() {
    Request held = request("x");
    granted(held);
    store.record(hold(held), step("a", "1"), LONG);
    IdempotencyRecord before = record("x");
    Hold stranger = new Hold(key("x"), UUID.randomUUID());

    assertThat(store.renew(stranger, Duration.ofMillis(1))).isFalse();
    assertThat(store.record(stranger, step("b", "2"), Duration.ofMillis(1))).isFalse();
    assertThat(store.complete(stranger, answer("stranger"), DAY)).isFalse();
    assertThat(store.release(stranger, Duration.ZERO)).isFalse();

    assertThat(record("x")).isEqualTo(before);
    assertThat(busy(request("x")).left()).isGreaterThan(LONG.minusMinutes(1));
  }

  /** I2: after a steal, the zombie's heartbeat prolonged the thief's claim. */
  @Test
  void aZombieDoesNotProlongTheClaimOfTheThief() throws Exception {
    Request zombie = request("x", SHORT);
    granted(zombie);
    Request thief = request("x", SHORT);
    takenOver(thief);

    assertThat(store.renew(hold(zombie), LONG)).isFalse();

    takenOver(request("x"));
  }

  /** I3: a waiting duplicate that gave up removed the claim of the original. */
  @Test
  void aDuplicateThatGivesUpWaitingChangesNothing() {
    Claim claim = open(claims, "x");
    claim.step("a", TEXT, () -> "1");
    IdempotencyRecord before = record("x");

    for (int i = 0; i < 3; i++) {
      assertThat(claims.waiting(Duration.ofMillis(50)).run(key("x"), PAYLOAD, TEXT, c -> "no"))
          .isInstanceOf(InProgress.class);
    }

    assertThat(record("x")).isEqualTo(before);
    claim.complete(bytes("done"));
  }

  /** I3: "it succeeded, saving failed" freed the claim, and the retry ran it again. */
  @Test
  void whatSucceededButCouldNotBeSavedKeepsItsClaim() {
    faulty.before(
        Call.COMPLETE,
        count -> {
          throw FaultyIdempotencyStore.lost();
        });
    assertThatThrownBy(() -> run("x", claim -> "done")).hasMessageContaining("cable");

    assertThat(status("x")).isEqualTo(Status.IN_PROGRESS);
    assertThat(claimsOn(store).run(key("x"), PAYLOAD, TEXT, c -> "twice"))
        .isInstanceOf(InProgress.class);
  }

  /** I4: a first attempt that had timed out overwrote or deleted the record of the second. */
  @Test
  void aFirstAttemptThatTimedOutNeitherOverwritesNorDeletesTheSecond() throws Exception {
    CountDownLatch over = new CountDownLatch(1);
    faulty.before(
        Call.RENEW,
        count -> {
          waitFor(over);
          throw FaultyIdempotencyStore.lost();
        });
    Claim writes = open(claims.lease(SHORT), "x");
    Claim fails = open(claims.lease(SHORT), "y");
    Claims others = claimsOn(store).waiting(LIMIT);
    assertThat(others.run(key("x"), PAYLOAD, TEXT, c -> "second").orThrow()).isEqualTo("second");
    assertThat(others.run(key("y"), PAYLOAD, TEXT, c -> "second").orThrow()).isEqualTo("second");

    assertThatThrownBy(() -> writes.complete(bytes("first")))
        .isInstanceOf(ClaimLostException.class);
    assertThat(fails.release()).isFalse();
    over.countDown();

    assertThat(done(request("x"))).isEqualTo(answer("second"));
    assertThat(done(request("y"))).isEqualTo(answer("second"));
  }
}
