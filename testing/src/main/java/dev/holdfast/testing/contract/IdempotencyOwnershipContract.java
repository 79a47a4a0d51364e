package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.idempotency.IdempotencyRecord.Status;
import dev.holdfast.idempotency.spi.IdempotencyStore.ClaimRequest;
import dev.holdfast.idempotency.spi.IdempotencyStore.ClaimResult;
import java.time.Duration;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** Who holds a record: until it is given back, has run out, or was taken over. */
public abstract class IdempotencyOwnershipContract extends IdempotencyTests {
  protected IdempotencyOwnershipContract(Supplier<? extends IdempotencyStoreFixture> places) {
    super(places);
  }

  @Test
  void releasedRequestIsGrantedAtOnce() {
    ClaimRequest first = request("x");
    granted(first);

    assertThat(store.release(hold(first), LONG)).isTrue();

    assertThat(status("x")).isEqualTo(Status.INTERRUPTED);
    ClaimResult.Granted second = granted(request("x"));
    assertThat(second.attempts()).isEqualTo(2);
    assertThat(status("x")).isEqualTo(Status.IN_PROGRESS);
    busy(request("x"));
  }

  @Test
  void aReleaseThatIsSaidTwiceIsAnsweredTwice() {
    ClaimRequest first = request("x");
    granted(first);
    store.release(hold(first), Duration.ZERO);

    assertThat(store.release(hold(first), Duration.ZERO)).isTrue();
  }

  @Test
  void releasedOwnerCannotWrite() {
    ClaimRequest first = request("x");
    granted(first);
    store.release(hold(first), LONG);

    refused(first);
    assertThat(status("x")).isEqualTo(Status.INTERRUPTED);

    ClaimRequest second = request("x");
    granted(second);
    refused(first);
    assertThat(store.release(hold(first), Duration.ZERO)).isFalse();
    assertThat(store.renew(hold(second), LONG)).isTrue();
  }

  private void refused(ClaimRequest request) {
    assertThat(store.renew(hold(request), LONG)).as("renew").isFalse();
    assertThat(store.record(hold(request), step("zombie", "z"), LONG)).as("record").isFalse();
    assertThat(store.complete(hold(request), answer("zombie"), DAY)).as("complete").isFalse();
  }

  @Test
  void releasedOwnerMayClaimAgain() {
    ClaimRequest first = request("x");
    granted(first);
    store.release(hold(first), Duration.ZERO);

    assertThat(granted(first).attempts()).isEqualTo(2);
    assertThat(store.renew(hold(first), LONG)).isTrue();
  }

  @Test
  void takesOverExpiredClaimOnly() throws Exception {
    ClaimRequest first = request("x", SHORT);
    granted(first);
    ClaimRequest second = request("x");

    ClaimResult.Granted granted = takenOver(second);

    assertThat(granted.attempts()).isEqualTo(2);
    refused(first);
    assertThat(store.release(hold(first), Duration.ZERO)).as("release").isFalse();
    assertThat(record("x").steps()).isEmpty();
    assertThat(store.complete(hold(second), answer("second"), DAY)).isTrue();
    assertThat(store.complete(hold(first), answer("zombie"), DAY)).isFalse();
    assertThat(done(request("x"))).isEqualTo(answer("second"));
  }

  @Test
  void expiredClaimIsLostIfUntaken() throws Exception {
    ClaimRequest first = request("x", SHORT);
    granted(first);
    await("the claim must run out", () -> status("x") == Status.INTERRUPTED);

    refused(first);
    assertThat(store.release(hold(first), Duration.ZERO)).as("release").isFalse();
    assertThat(status("x")).as("not brought back").isEqualTo(Status.INTERRUPTED);
    assertThat(granted(request("x")).steps()).isEmpty();
  }

  @Test
  void expiredOwnerMayClaimAgain() throws Exception {
    ClaimRequest first = request("x", SHORT);
    granted(first);
    await("the claim must run out", () -> status("x") == Status.INTERRUPTED);

    assertThat(granted(first).attempts()).isEqualTo(2);
  }

  @Test
  void aRenewalProlongs() {
    ClaimRequest first = request("x", Duration.ofSeconds(30));
    granted(first);

    assertThat(store.renew(hold(first), LONG)).isTrue();

    assertThat(busy(request("x")).leaseRemaining()).isBetween(LONG.minusMinutes(1), LONG);
  }

  @Test
  void onlyTheOneThatHoldsItCanChangeAnything() {
    granted(request("x"));
    ClaimRequest other = request("x");
    busy(other);

    refused(other);
    assertThat(store.release(hold(other), Duration.ZERO)).isFalse();
    assertThat(status("x")).isEqualTo(Status.IN_PROGRESS);
    refused(request("nobody's"));
    assertThat(store.release(hold(request("nobody's")), Duration.ZERO)).isFalse();
    assertThat(store.find(key("nobody's"))).isEmpty();
  }
}
