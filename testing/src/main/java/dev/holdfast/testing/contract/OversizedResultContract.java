package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.StoreException;
import dev.holdfast.idempotency.IdempotencyKey;
import dev.holdfast.idempotency.IdempotencyRecord.Status;
import dev.holdfast.idempotency.IdempotencyRequest;
import dev.holdfast.idempotency.IdempotencyResult.Executed;
import dev.holdfast.idempotency.IdempotencyResult.Replayed;
import dev.holdfast.idempotency.LargeResultStore;
import dev.holdfast.idempotency.RejectedException;
import dev.holdfast.idempotency.ReplyCodecs;
import dev.holdfast.idempotency.ResultTooLargeException;
import dev.holdfast.testing.contract.FaultyIdempotencyStore.Call;
import dev.holdfast.workflow.OpenWorkflow;
import dev.holdfast.workflow.Workflows;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Work that took effect is not run again because its answer cannot be kept. */
public abstract class OversizedResultContract extends WorkflowTests {
  private static final int MEBIBYTE = 1 << 20;

  protected OversizedResultContract(Supplier<? extends IdempotencyStoreFixture> places) {
    super(places);
  }

  /** Fails, whatever it is given. */
  private static LargeResultStore vault(Supplier<? extends RuntimeException> failure) {
    return new LargeResultStore() {
      @Override
      public void put(IdempotencyKey key, String name, byte[] reply) {
        throw failure.get();
      }

      @Override
      public byte @Nullable [] get(IdempotencyKey key, String name) {
        throw failure.get();
      }
    };
  }

  private static RuntimeException shut() {
    return new IllegalStateException("the vault is shut");
  }

  private void assertTookEffect(String name, Workflows claims, int size) {
    assertThat(status(name)).isEqualTo(Status.COMPLETED);
    assertThatThrownBy(
            () ->
                claims.run(
                    IdempotencyRequest.of(key(name), TEXT).fingerprint(PAYLOAD), claim -> "twice"))
        .isInstanceOfSatisfying(
            ResultTooLargeException.class, e -> assertThat(e.isEffective()).isTrue())
        .hasMessageContaining(size + " bytes");
  }

  private static StoreException refused() {
    return new StoreException(
        "idempotency-store", "keeping the answer", "it does not fit", false, null);
  }

  @Test
  void whatAVaultFailsToKeepIsNotRunAgain() {
    claims = with(o -> o.maxResultSize(3).largeResultStore(vault(OversizedResultContract::shut)));

    assertThat(run("x", claim -> "1234")).isEqualTo(new Executed<>("1234"));

    assertTookEffect("x", claims, 4);
    assertThat(run("y", claim -> "123")).isEqualTo(new Executed<>("123"));
    assertThat(run("y", claim -> "no")).isEqualTo(new Replayed<>("123"));
  }

  @Test
  void vaultErrorDoesNotRerunWork() {
    claims =
        with(
            o ->
                o.maxResultSize(3)
                    .largeResultStore(
                        vault(
                            () -> {
                              throw new NoClassDefFoundError("of the vault");
                            })));

    assertThatThrownBy(() -> run("x", claim -> "1234")).isInstanceOf(NoClassDefFoundError.class);

    assertTookEffect("x", claims, 4);
  }

  @Test
  void vaultFailureDoesNotRerunStartedRequest() {
    OpenWorkflow claim =
        open(
            with(o -> o.maxResultSize(1).largeResultStore(vault(OversizedResultContract::shut))),
            "x");

    claim.complete(new byte[10]);

    assertThat(claim.isLeaseValid()).isFalse();
    assertTookEffect("x", claims, 10);
  }

  @Test
  void permanentStoreErrorDoesNotRerunWork() {
    faulty.before(
        Call.COMPLETE,
        count -> {
          if (count == 1) {
            throw refused();
          }
        });

    assertThat(run("x", claim -> "1234")).isEqualTo(new Executed<>("1234"));

    assertThat(faulty.count(Call.COMPLETE)).isEqualTo(2);
    assertTookEffect("x", claims, 4);
  }

  @Test
  void keepsRequestIfSizeCannotBeStored() {
    faulty.before(
        Call.COMPLETE,
        count -> {
          throw count == 1 ? refused() : FaultyIdempotencyStore.lost();
        });

    assertThatThrownBy(() -> run("x", claim -> "1234"))
        .hasMessageContaining("it does not fit")
        .satisfies(e -> assertThat(e.getSuppressed()).hasSize(1));

    assertThat(faulty.count(Call.RELEASE)).isZero();
    assertThat(status("x")).isEqualTo(Status.IN_PROGRESS);
  }

  @Test
  void whatMayPassIsNotGivenUp() {
    faulty.before(
        Call.COMPLETE,
        count -> {
          throw FaultyIdempotencyStore.lost();
        });
    OpenWorkflow claim = open(claims, "x");
    assertThatThrownBy(() -> claim.complete(bytes("1234"))).isInstanceOf(StoreException.class);
    faulty.mend();

    claim.complete(bytes("1234"));

    assertThat(run("x", c -> "no")).isEqualTo(new Replayed<>("1234"));
  }

  @Test
  void unstorableRejectionHasNoEffect() {
    faulty.before(
        Call.COMPLETE,
        count -> {
          throw refused();
        });

    assertThatThrownBy(
            () ->
                run(
                    "x",
                    claim -> {
                      throw new RejectedException("no");
                    }))
        .isInstanceOf(StoreException.class);

    assertThat(faulty.count(Call.COMPLETE)).isEqualTo(1);
    assertThat(record("x").result()).isEmpty();
  }

  /** Each of these bytes may take two in a statement, which some servers limit. */
  @Test
  void oversizedResultDoesNotRerunWork() {
    claims = with(o -> o.maxResultSize(15 * MEBIBYTE));
    byte[] large = new byte[9 * MEBIBYTE];

    assertThat(
            claims
                .run(
                    IdempotencyRequest.of(key("x"), ReplyCodecs.bytes()).fingerprint(PAYLOAD),
                    claim -> large)
                .orElseThrow())
        .isEqualTo(large);

    try {
      byte[] kept =
          claims
              .run(
                  IdempotencyRequest.of(key("x"), ReplyCodecs.bytes()).fingerprint(PAYLOAD),
                  claim -> {
                    throw new AssertionError("it took effect");
                  })
              .orElseThrow();
      assertThat(kept).isEqualTo(large);
    } catch (ResultTooLargeException e) {
      assertThat(e.isEffective()).isTrue();
    }
  }
}
