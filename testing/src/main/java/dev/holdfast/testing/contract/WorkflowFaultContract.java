package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.HoldfastException;
import dev.holdfast.StoreException;
import dev.holdfast.idempotency.IdempotencyRecord.Status;
import dev.holdfast.idempotency.IdempotencyRequest;
import dev.holdfast.idempotency.IdempotencyResult;
import dev.holdfast.idempotency.IdempotencyResult.Executed;
import dev.holdfast.idempotency.IdempotencyResult.InProgress;
import dev.holdfast.idempotency.IdempotencyResult.Replayed;
import dev.holdfast.idempotency.ReplyCodecs;
import dev.holdfast.testing.contract.FaultyIdempotencyStore.Call;
import dev.holdfast.workflow.OpenWorkflow;
import dev.holdfast.workflow.StepContext;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.IntConsumer;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** Workflows on a store whose calls fail before or after they have changed anything. */
public abstract class WorkflowFaultContract extends WorkflowTests {
  private static void always(int count) {
    throw FaultyIdempotencyStore.lost();
  }

  protected WorkflowFaultContract(Supplier<? extends IdempotencyStoreFixture> places) {
    super(places);
  }

  private static IntConsumer first(int calls) {
    return count -> {
      if (count <= calls) {
        throw FaultyIdempotencyStore.lost();
      }
    };
  }

  private String work(StepContext claim) {
    claim.step("charge", TEXT, () -> effect(claim, "charge"));
    return claim.step("mail", TEXT, () -> effect(claim, "mail"));
  }

  private String effect(StepContext claim, String step) {
    effects.add(claim.idempotencyKey(step));
    return step + " " + effects.size();
  }

  @Test
  void repeatsLostCallsSafely() {
    int round = 0;
    for (Call call : List.of(Call.CLAIM, Call.RECORD, Call.COMPLETE)) {
      for (boolean before : new boolean[] {true, false}) {
        for (int times = 1; times <= 2; times++) {
          faulty = new FaultyIdempotencyStore(store);
          claims = claimsOn(faulty);
          effects.clear();
          String name = "x" + ++round;
          if (before) {
            faulty.before(call, first(times));
          } else {
            faulty.after(call, first(times));
          }

          assertThat(run(name, this::work)).as("%s", call).isEqualTo(new Executed<>("mail 2"));

          assertThat(effects).hasSize(2);
          assertThat(record(name).attempts()).isEqualTo(1);
          assertThat(run(name, claim -> "no")).isEqualTo(new Replayed<>("mail 2"));
        }
      }
    }
  }

  @Test
  void repeatsReleaseAfterLostResponse() {
    for (boolean before : new boolean[] {true, false}) {
      faulty = new FaultyIdempotencyStore(store);
      claims = claimsOn(faulty);
      if (before) {
        faulty.before(Call.RELEASE, first(1));
      } else {
        faulty.after(Call.RELEASE, first(1));
      }
      assertThatThrownBy(
              () ->
                  run(
                      "x" + before,
                      claim -> {
                        throw new IOException("failed");
                      }))
          .isInstanceOf(IOException.class)
          .hasNoSuppressedExceptions();
      assertThat(status("x" + before)).isEqualTo(Status.INTERRUPTED);
    }
  }

  @Test
  void aStoreThatIsDownFailsClosed() {
    faulty.before(Call.CLAIM, WorkflowFaultContract::always);

    assertThatThrownBy(() -> run("x", this::work))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("the cable was pulled");
    assertThatThrownBy(
            () ->
                claims.begin(
                    IdempotencyRequest.of(key("x"), ReplyCodecs.bytes()).fingerprint(PAYLOAD)))
        .isInstanceOf(HoldfastException.class);

    assertThat(effects).isEmpty();
    assertThat(store.find(key("x"))).isEmpty();
  }

  @Test
  void claimWithoutResponseExpires() throws Exception {
    claims = with(o -> o.leaseDuration(SHORT));
    faulty.after(Call.CLAIM, WorkflowFaultContract::always);

    assertThatThrownBy(() -> run("x", this::work)).isInstanceOf(StoreException.class);

    assertThat(effects).isEmpty();
    faulty.mend();
    IdempotencyResult<String> told =
        with(o -> o.leaseDuration(LONG).waitTimeout(LIMIT))
            .run(IdempotencyRequest.of(key("x"), TEXT).fingerprint(PAYLOAD), this::work);
    assertThat(told).isEqualTo(new Executed<>("mail 2"));
  }

  @Test
  void unrecordedStepRunsAgain() {
    faulty.before(
        Call.RECORD,
        count -> {
          if (count > 1) {
            throw FaultyIdempotencyStore.lost();
          }
        });

    assertThatThrownBy(() -> run("x", this::work)).isInstanceOf(StoreException.class);

    assertThat(status("x")).as("given back").isEqualTo(Status.INTERRUPTED);
    faulty.mend();
    assertThat(run("x", this::work)).isEqualTo(new Executed<>("mail 3"));
    Set<String> keys = new HashSet<>(effects);
    assertThat(keys).as("the same key for the step in flight").hasSize(2);
    assertThat(effects).hasSize(3);
  }

  @Test
  void stepWithoutResponseRunsOnce() {
    faulty.after(
        Call.RECORD,
        count -> {
          if (count > 1) {
            throw FaultyIdempotencyStore.lost();
          }
        });

    assertThatThrownBy(() -> run("x", this::work)).isInstanceOf(StoreException.class);

    faulty.mend();
    assertThat(run("x", this::work)).isEqualTo(new Executed<>("mail 2"));
    assertThat(effects).hasSize(2).doesNotHaveDuplicates();
  }

  @Test
  void unsavedSuccessIsNotReleased() throws Exception {
    faulty.before(Call.COMPLETE, WorkflowFaultContract::always);

    assertThatThrownBy(() -> run("x", this::work)).isInstanceOf(StoreException.class);

    assertThat(faulty.count(Call.RELEASE)).isZero();
    assertThat(status("x")).isEqualTo(Status.IN_PROGRESS);
    faulty.mend();
    assertThat(run("x", this::work)).isInstanceOf(InProgress.class);
    assertThat(effects).hasSize(2);
  }

  @Test
  void replaysUnknownResult() {
    faulty.after(Call.COMPLETE, WorkflowFaultContract::always);

    assertThatThrownBy(() -> run("x", this::work)).isInstanceOf(StoreException.class);

    faulty.mend();
    assertThat(run("x", this::work)).isEqualTo(new Replayed<>("mail 2"));
    assertThat(effects).hasSize(2);
  }

  @Test
  void ownerMayRepeatCompletion() {
    OpenWorkflow claim = open(claims, "x");
    faulty.after(Call.COMPLETE, WorkflowFaultContract::always);
    assertThatThrownBy(() -> claim.complete(bytes("done"))).isInstanceOf(StoreException.class);
    faulty.mend();

    claim.complete(bytes("done"));

    assertThat(run("x", c -> "no")).isEqualTo(new Replayed<>("done"));
  }

  @Test
  void unreleasableClaimExpires() throws Exception {
    claims = with(o -> o.leaseDuration(SHORT));
    faulty.before(Call.RELEASE, WorkflowFaultContract::always);

    assertThatThrownBy(
            () ->
                run(
                    "x",
                    claim -> {
                      throw new IOException("failed");
                    }))
        .isInstanceOf(IOException.class)
        .satisfies(
            e -> assertThat(e.getSuppressed()).hasAtLeastOneElementOfType(StoreException.class));

    await("it runs out", () -> status("x") == Status.INTERRUPTED);
  }

  @Test
  void retriesCompleteAfterPermanentFailure() {
    int round = 0;
    for (Call call : List.of(Call.CLAIM, Call.RECORD, Call.COMPLETE, Call.RELEASE)) {
      for (boolean before : new boolean[] {true, false}) {
        for (int from = 1; from <= 2; from++) {
          faulty = new FaultyIdempotencyStore(store);
          claims = claimsOn(faulty, o -> o.leaseDuration(SHORT));
          effects.clear();
          String name = "x" + ++round;
          int begin = from;
          IntConsumer fault =
              count -> {
                if (count >= begin) {
                  throw FaultyIdempotencyStore.lost();
                }
              };
          if (before) {
            faulty.before(call, fault);
          } else {
            faulty.after(call, fault);
          }
          List<String> answers = new ArrayList<>();
          for (int tries = 0; answers.size() < 2 && tries < 10; tries++) {
            try {
              answers.add(
                  with(o -> o.leaseDuration(SHORT).waitTimeout(LIMIT))
                      .run(IdempotencyRequest.of(key(name), TEXT).fingerprint(PAYLOAD), this::work)
                      .orElseThrow());
            } catch (StoreException e) {
              faulty.mend();
            }
          }
          assertThat(answers).hasSize(2);
          assertThat(new HashSet<>(answers)).hasSize(1);
          assertThat(new HashSet<>(effects)).hasSize(2);
          assertThat(effects.size()).as("only the step in flight is run twice").isLessThan(4);
          assertThat(record(name).result().orElseThrow().bytes()).isEqualTo(bytes(answers.get(0)));
        }
      }
    }
  }
}
