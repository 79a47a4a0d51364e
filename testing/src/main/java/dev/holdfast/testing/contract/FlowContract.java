package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.InvalidArgumentException;
import dev.holdfast.idempotency.Completer;
import dev.holdfast.idempotency.Flow;
import dev.holdfast.idempotency.IdempotencyRecord.Status;
import dev.holdfast.idempotency.OnceResult.Executed;
import dev.holdfast.idempotency.OnceResult.InProgress;
import dev.holdfast.idempotency.OnceResult.Mismatch;
import dev.holdfast.idempotency.OnceResult.Replayed;
import dev.holdfast.idempotency.RefusedException;
import dev.holdfast.idempotency.ReplyCodecs;
import dev.holdfast.idempotency.ReplyTooLargeException;
import dev.holdfast.testing.Actors;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** Flows, and how any instance goes on with those that nobody works on any more. */
public abstract class FlowContract extends FlowTests {
  protected FlowContract(Supplier<? extends IdempotencyPlace> places) {
    super(places);
  }

  @Test
  void aFlowIsRunOnceAndReplayed() throws Exception {
    assertThat(claims.run(flow, key("x"), "order")).isEqualTo(new Executed<>("order done"));
    assertThat(claims.run(flow, key("x"), "order")).isEqualTo(new Replayed<>("order done"));
    assertThat(claims.run(flow, key("x"), "other")).isInstanceOf(Mismatch.class);
    Flow<String, String> other = flow("refund", this::work);
    assertThat(claims.run(other, key("x"), "order"))
        .as("another flow")
        .isInstanceOf(Mismatch.class);
    assertThat(runs).hasValue(1);
  }

  @Test
  void anInputThatIsTooLargeIsRefusedBeforeAnythingIsDone() {
    assertThatThrownBy(() -> claims.largestReply(3).run(flow, key("x"), "1234"))
        .isInstanceOf(ReplyTooLargeException.class);
    assertThat(store.find(key("x"))).isEmpty();
    assertThat(runs).hasValue(0);
  }

  @Test
  void anAbandonedFlowIsCompletedByAnyInstanceFromItsLastStep() throws Exception {
    abandon("x", flow, "order");

    assertThat(claimsOn(place.open()).completer(flow).complete()).isEqualTo(1);

    assertThat(effects).as("charge was recorded").hasSize(1);
    assertThat(claims.run(flow, key("x"), "order")).isEqualTo(new Replayed<>("order done"));
    assertThat(claims.completer(flow).complete()).isZero();
    assertThat(runs).hasValue(1);
  }

  @Test
  void whatSomebodyHoldsIsLeftAlone() throws Exception {
    granted(flow("x", "pay", LONG));

    assertThat(claims.completer(flow).complete()).isZero();

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
    Flow.FlowWork<String, String> work =
        (input, claim) -> {
          int index = Integer.parseInt(claim.key().key().substring(1));
          assertThat(at[index].incrementAndGet()).isEqualTo(1);
          runs.incrementAndGet();
          return input;
        };
    Actors.run(
            4,
            index ->
                claimsOn(place.open())
                    .completer(flow("slow0", work), flow("slow1", work))
                    .complete())
        .resultsOrThrow();

    assertThat(runs).hasValue(20);
    for (int i = 0; i < 20; i++) {
      assertThat(status("x" + i)).isEqualTo(Status.DONE);
      assertThat(record("x" + i).attempts()).isEqualTo(2);
    }
  }

  @Test
  void aFlowThatIsNotKnownIsLeftAlone() {
    abandon("x", flow("unknown", this::work), "order");

    assertThat(claims.completer(flow).complete()).isZero();

    assertThat(record("x").attempts()).isEqualTo(1);
    assertThat(status("x")).isEqualTo(Status.ABANDONED);
  }

  @Test
  void anInputThatCannotBeReadDoesNotStopTheOthersAndRests() {
    Flow<Long, String> numbers = new Flow<>("numbers", ReplyCodecs.number(), TEXT, (n, c) -> "n");
    abandon("x", flow("numbers", this::work), "no number");
    abandon("y", flow, "order");

    Completer completer = claims.completer(numbers, flow);
    assertThat(completer.complete()).isEqualTo(1);

    assertThat(status("y")).isEqualTo(Status.DONE);
    assertThat(status("x")).isEqualTo(Status.ABANDONED);
    assertThat(record("x").attempts()).isEqualTo(2);
    assertThat(record("x").steps()).containsExactly("charge");
  }

  @Test
  void aFlowThatRefusesIsDone() {
    Flow<String, String> refusing =
        flow(
            "refusing",
            (input, claim) -> {
              throw new RefusedException("no");
            });
    abandon("x", refusing, "order");

    assertThat(claims.completer(refusing).complete()).isEqualTo(1);

    assertThat(status("x")).isEqualTo(Status.DONE);
    assertThatThrownBy(() -> claims.run(refusing, key("x"), "order"))
        .isInstanceOf(RefusedException.class);
  }

  @Test
  void aRequestThatIsRepeatedWhileACompleterWorksIsToldSo() throws Exception {
    AtomicBoolean told = new AtomicBoolean();
    Flow<String, String> slow =
        flow(
            "slow",
            (input, claim) -> {
              told.set(
                  claimsOn(store).run(flow("slow", this::work), claim.key(), input)
                      instanceof InProgress<?>);
              return "done";
            });
    abandon("x", slow, "order");

    assertThat(claims.completer(slow).complete()).isEqualTo(1);

    assertThat(told).isTrue();
  }

  @Test
  void flowsAndCompletersAreChecked() {
    for (String bad : new String[] {"", "x".repeat(201), "a\n"}) {
      assertThatThrownBy(() -> flow(bad, this::work)).isInstanceOf(InvalidArgumentException.class);
    }
    assertThatThrownBy(() -> claims.completer()).isInstanceOf(InvalidArgumentException.class);
    assertThatThrownBy(() -> claims.completer(flow, flow("pay", this::work)))
        .isInstanceOf(InvalidArgumentException.class)
        .hasMessageContaining("'pay'");
    assertThatThrownBy(() -> claims.completer(flow).every(Duration.ZERO))
        .isInstanceOf(InvalidArgumentException.class);
    assertThatThrownBy(() -> claims.completer(flow).mostAttempts(0))
        .isInstanceOf(InvalidArgumentException.class);
  }
}
