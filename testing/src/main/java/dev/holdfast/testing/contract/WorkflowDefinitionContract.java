package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.InvalidArgumentException;
import dev.holdfast.idempotency.IdempotencyRecord.Status;
import dev.holdfast.idempotency.IdempotencyResult.Executed;
import dev.holdfast.idempotency.IdempotencyResult.InProgress;
import dev.holdfast.idempotency.IdempotencyResult.KeyReused;
import dev.holdfast.idempotency.IdempotencyResult.Replayed;
import dev.holdfast.idempotency.RejectedException;
import dev.holdfast.idempotency.ReplyCodecs;
import dev.holdfast.idempotency.ResultTooLargeException;
import dev.holdfast.testing.ConcurrentActors;
import dev.holdfast.workflow.Workflow;
import dev.holdfast.workflow.WorkflowRecovery;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** Flows, and how any instance goes on with those that nobody works on any more. */
public abstract class WorkflowDefinitionContract extends WorkflowDefinitionTests {
  protected WorkflowDefinitionContract(Supplier<? extends IdempotencyStoreFixture> places) {
    super(places);
  }

  @Test
  void aFlowIsRunOnceAndReplayed() throws Exception {
    assertThat(claims.run(flow, key("x"), "order")).isEqualTo(new Executed<>("order done"));
    assertThat(claims.run(flow, key("x"), "order")).isEqualTo(new Replayed<>("order done"));
    assertThat(claims.run(flow, key("x"), "other")).isInstanceOf(KeyReused.class);
    Workflow<String, String> other = flow("refund", this::work);
    assertThat(claims.run(other, key("x"), "order"))
        .as("another flow")
        .isInstanceOf(KeyReused.class);
    assertThat(runs).hasValue(1);
  }

  @Test
  void rejectsOversizedInput() {
    assertThatThrownBy(() -> with(o -> o.maxResultSize(3)).run(flow, key("x"), "1234"))
        .isInstanceOf(ResultTooLargeException.class);
    assertThat(store.find(key("x"))).isEmpty();
    assertThat(runs).hasValue(0);
  }

  @Test
  void anyInstanceResumesAbandonedWorkflow() throws Exception {
    abandon("x", flow, "order");

    assertThat(claimsOn(place.open()).recovery(flow).recoverNow()).isEqualTo(1);

    assertThat(effects).as("charge was recorded").hasSize(1);
    assertThat(claims.run(flow, key("x"), "order")).isEqualTo(new Replayed<>("order done"));
    assertThat(claims.recovery(flow).recoverNow()).isZero();
    assertThat(runs).hasValue(1);
  }

  @Test
  void skipsHeldWorkflow() throws Exception {
    granted(flow("x", "pay", LONG));

    assertThat(claims.recovery(flow).recoverNow()).isZero();

    assertThat(runs).hasValue(0);
    busy(flow("x", "pay", LONG));
  }

  @Test
  void manyCompletersNeverRunOneTwiceAtATime() {
    for (int i = 0; i < 20; i++) {
      abandon("x" + i, flow("slow" + i % 2, this::work), "order");
    }
    AtomicInteger[] at = new AtomicInteger[20];
    for (int i = 0; i < at.length; i++) {
      at[i] = new AtomicInteger();
    }
    Workflow.Body<String, String> work =
        (input, claim) -> {
          int index = Integer.parseInt(claim.key().key().substring(1));
          assertThat(at[index].incrementAndGet()).isEqualTo(1);
          runs.incrementAndGet();
          return input;
        };
    ConcurrentActors.run(
            4,
            index ->
                claimsOn(place.open())
                    .recovery(flow("slow0", work), flow("slow1", work))
                    .recoverNow())
        .resultsOrThrow();

    assertThat(runs).hasValue(20);
    for (int i = 0; i < 20; i++) {
      assertThat(status("x" + i)).isEqualTo(Status.COMPLETED);
      assertThat(record("x" + i).attempts()).isEqualTo(2);
    }
  }

  @Test
  void aFlowThatIsNotKnownIsLeftAlone() {
    abandon("x", flow("unknown", this::work), "order");

    assertThat(claims.recovery(flow).recoverNow()).isZero();

    assertThat(record("x").attempts()).isEqualTo(1);
    assertThat(status("x")).isEqualTo(Status.INTERRUPTED);
  }

  @Test
  void unreadableInputDoesNotBlockOthers() {
    Workflow<Long, String> numbers =
        new Workflow<>("numbers", ReplyCodecs.number(), TEXT, (n, c) -> "n");
    abandon("x", flow("numbers", this::work), "no number");
    abandon("y", flow, "order");

    WorkflowRecovery completer = claims.recovery(numbers, flow);
    assertThat(completer.recoverNow()).isEqualTo(1);

    assertThat(status("y")).isEqualTo(Status.COMPLETED);
    assertThat(status("x")).isEqualTo(Status.INTERRUPTED);
    assertThat(record("x").attempts()).isEqualTo(2);
    assertThat(record("x").steps()).containsExactly("charge");
  }

  @Test
  void aFlowThatRefusesIsDone() {
    Workflow<String, String> refusing =
        flow(
            "refusing",
            (input, claim) -> {
              throw new RejectedException("no");
            });
    abandon("x", refusing, "order");

    assertThat(claims.recovery(refusing).recoverNow()).isEqualTo(1);

    assertThat(status("x")).isEqualTo(Status.COMPLETED);
    assertThatThrownBy(() -> claims.run(refusing, key("x"), "order"))
        .isInstanceOf(RejectedException.class);
  }

  @Test
  void duplicateDuringRecoveryIsInProgress() throws Exception {
    AtomicBoolean told = new AtomicBoolean();
    Workflow<String, String> slow =
        flow(
            "slow",
            (input, claim) -> {
              told.set(
                  claimsOn(store).run(flow("slow", this::work), claim.key(), input)
                      instanceof InProgress<?>);
              return "done";
            });
    abandon("x", slow, "order");

    assertThat(claims.recovery(slow).recoverNow()).isEqualTo(1);

    assertThat(told).isTrue();
  }

  @Test
  void flowsAndCompletersAreChecked() {
    for (String bad : new String[] {"", "x".repeat(201), "a\n"}) {
      assertThatThrownBy(() -> flow(bad, this::work)).isInstanceOf(InvalidArgumentException.class);
    }
    assertThatThrownBy(() -> claims.recovery()).isInstanceOf(InvalidArgumentException.class);
    assertThatThrownBy(() -> claims.recovery(flow, flow("pay", this::work)))
        .isInstanceOf(InvalidArgumentException.class)
        .hasMessageContaining("'pay'");
    assertThatThrownBy(() -> claims.recovery(flow).interval(Duration.ZERO))
        .isInstanceOf(InvalidArgumentException.class);
    assertThatThrownBy(() -> claims.recovery(flow).maxAttempts(0))
        .isInstanceOf(InvalidArgumentException.class);
  }
}
