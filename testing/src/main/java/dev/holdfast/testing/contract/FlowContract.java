package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.InvalidArgumentException;
import dev.holdfast.idempotency.Claim;
import dev.holdfast.idempotency.Completer;
import dev.holdfast.idempotency.Fingerprint;
import dev.holdfast.idempotency.Flow;
import dev.holdfast.idempotency.IdempotencyRecord.Status;
import dev.holdfast.idempotency.IdempotencyStore.FlowInput;
import dev.holdfast.idempotency.IdempotencyStore.Request;
import dev.holdfast.idempotency.OnceResult.Executed;
import dev.holdfast.idempotency.OnceResult.InProgress;
import dev.holdfast.idempotency.OnceResult.Mismatch;
import dev.holdfast.idempotency.OnceResult.Replayed;
import dev.holdfast.idempotency.RefusedException;
import dev.holdfast.idempotency.ReplyCodecs;
import dev.holdfast.idempotency.ReplyTooLargeException;
import dev.holdfast.testing.Actors;
import dev.holdfast.testing.contract.FaultyIdempotencyStore.Call;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** Flows, and completers that go on with those that nobody works on any more. */
public abstract class FlowContract extends ClaimTests {
  private final AtomicBoolean failing = new AtomicBoolean();
  private final AtomicInteger runs = new AtomicInteger();
  private final AtomicInteger inside = new AtomicInteger();
  private final Flow<String, String> flow = flow("pay", this::work);

  protected FlowContract(Supplier<? extends IdempotencyPlace> places) {
    super(places);
  }

  private static Flow<String, String> flow(String name, Flow.FlowWork<String, String> work) {
    return new Flow<>(name, TEXT, TEXT, work);
  }

  private String work(String input, Claim claim) throws IOException {
    assertThat(inside.incrementAndGet()).as("one at a time").isEqualTo(1);
    try {
      runs.incrementAndGet();
      claim.step("charge", TEXT, () -> "" + effects.add(claim.keyFor("charge")));
      if (failing.get()) {
        throw new IOException("failed");
      }
      claim.step("mail", TEXT, () -> "" + effects.add(claim.keyFor("mail")));
      return input + " done";
    } finally {
      inside.decrementAndGet();
    }
  }

  /** As a process leaves it that was killed: nobody holds it, and it is due. */
  private void abandon(String name, Flow<String, ?> of, String input) {
    Request request =
        new Request(
            key(name),
            Fingerprint.of(bytes(of.name()), bytes(input)),
            UUID.randomUUID(),
            LONG,
            DAY,
            new FlowInput(of.name(), bytes(input)));
    granted(request);
    store.record(hold(request), step("charge", "true"), LONG);
    store.release(hold(request), Duration.ZERO);
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
  void aFlowThatFailsRestsAndAClientMayRetryAtOnce() throws Exception {
    failing.set(true);
    abandon("x", flow, "order");
    Completer completer = claims.completer(flow);

    assertThat(completer.complete()).isZero();
    assertThat(completer.complete()).isZero();

    assertThat(runs).as("it rests").hasValue(1);
    assertThat(status("x")).isEqualTo(Status.ABANDONED);
    await(
        "its rest must be over",
        () -> {
          completer.complete();
          return runs.get() == 2;
        });
    failing.set(false);
    assertThat(claims.run(flow, key("x"), "order")).isEqualTo(new Executed<>("order done"));
    assertThat(effects).as("only the mail").hasSize(1);
  }

  @Test
  void aFlowIsLeftAloneAfterSoManyAttemptsUntilItsRequestIsRepeated() throws Exception {
    failing.set(true);
    abandon("x", flow, "order");
    Completer completer = claims.completer(flow).mostAttempts(2);
    completer.complete();
    assertThat(record("x").attempts()).isEqualTo(2);
    abandon("y", flow("other", this::work), "order");

    await("its rest must be over", () -> !store.abandoned(List.of("pay"), 1000, 10).isEmpty());
    completer.complete();
    assertThat(runs).as("left alone").hasValue(1);

    failing.set(false);
    assertThat(claims.run(flow, key("x"), "order")).isEqualTo(new Executed<>("order done"));
  }

  @Test
  void flowsThatWereGivenUpAreToldAlsoWhereClientsMadeTheAttempts() {
    abandon("x", flow, "order");
    abandon("x", flow, "order");
    abandon("y", flow, "order");
    Completer completer = claims.completer(flow).mostAttempts(2);

    assertThat(completer.givenUp(10)).containsExactly(key("x"));
    assertThat(completer.complete()).as("only y").isEqualTo(1);
    assertThat(claims.completer(flow).givenUp(10)).as("100 by default").isEmpty();
  }

  @Test
  void aBatchHoldsFewInputsAtOnce() {
    List<Integer> sizes = new CopyOnWriteArrayList<>();
    for (int i = 0; i < 25; i++) {
      abandon("x" + i, flow, "order");
    }
    faulty.listed = sizes::add;

    assertThat(claims.completer(flow).complete()).isEqualTo(25);

    assertThat(sizes).isNotEmpty().allMatch(size -> size <= 10);
  }

  @Test
  void completersAndCleanUpsOutliveErrors() throws Exception {
    IntConsumer errors =
        count -> {
          if (count <= 2) {
            throw new NoClassDefFoundError("of the store");
          }
        };
    faulty.before(Call.ABANDONED, errors);
    faulty.before(Call.CLEAN_UP, errors);
    abandon("x", flow, "order");
    try (Completer completer = claims.completer(flow).every(Duration.ofMillis(5)).start();
        AutoCloseable cleaning = claims.cleanUpEvery(Duration.ofMillis(1))) {
      assertThat(completer).isNotNull();
      assertThat(cleaning).isNotNull();
      await("it is completed", () -> status("x") == Status.DONE);
      await("it is cleaned up", () -> faulty.count(Call.CLEAN_UP) > 3);
    }
  }

  @Test
  void manyPoisonedFlowsDoNotStarveAHealthyOne() {
    Flow<String, String> poison =
        flow(
            "poison",
            (input, claim) -> {
              runs.incrementAndGet();
              throw new AssertionError("poison");
            });
    for (int i = 0; i < 60; i++) {
      abandon("p" + i, poison, "order");
    }
    abandon("healthy", flow, "order");

    assertThat(claims.completer(poison, flow).mostAttempts(2).complete()).isEqualTo(1);

    assertThat(status("healthy")).isEqualTo(Status.DONE);
    assertThat(runs).hasValue(61);
  }

  @Test
  void manyFlowsThatWereGivenUpDoNotStandBeforeAHealthyOne() {
    for (int i = 0; i < 55; i++) {
      abandon("p" + i, flow, "order");
    }
    for (int i = 0; i < 55; i++) {
      abandon("p" + i, flow, "order");
    }
    abandon("healthy", flow, "order");

    assertThat(claims.completer(flow).mostAttempts(2).complete()).isEqualTo(1);

    assertThat(status("healthy")).isEqualTo(Status.DONE);
    assertThat(runs).hasValue(1);
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
  void aStartedCompleterGoesOnUntilItIsClosed() throws Exception {
    try (Completer completer = claims.completer(flow).every(Duration.ofMillis(5)).start()) {
      abandon("x", flow, "order");
      await("it is completed", () -> status("x") == Status.DONE);
      assertThatThrownBy(completer::start).isInstanceOf(InvalidArgumentException.class);
    }
    await(
        "its thread must end",
        () ->
            Thread.getAllStackTraces().keySet().stream()
                .noneMatch(thread -> thread.getName().equals("holdfast-completer")));
    abandon("y", flow, "order");
    assertThat(status("y")).isEqualTo(Status.ABANDONED);
  }

  @Test
  void closingInterruptsTheFlowAndLeavesItToOthers() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    Flow<String, String> stuck =
        flow(
            "stuck",
            (input, claim) -> {
              begun.countDown();
              new CountDownLatch(1).await(LIMIT.toSeconds(), TimeUnit.SECONDS);
              return "not interrupted";
            });
    abandon("x", stuck, "order");
    Completer completer = claims.completer(stuck).every(Duration.ofMillis(5)).start();
    waitFor(begun);

    completer.close();

    await("it is given back", () -> status("x") == Status.ABANDONED);
    assertThat(record("x").reply()).isNull();
  }

  @Test
  void aCompleterOutlivesAStoreThatFailsAndAClaimThatIsLostAndWorkThatThrowsErrors()
      throws Exception {
    CountDownLatch mended = new CountDownLatch(1);
    AtomicInteger calls = new AtomicInteger();
    Flow<String, String> odd =
        flow(
            "odd",
            (input, claim) -> {
              if (calls.incrementAndGet() == 1) {
                new CountDownLatch(1).await(LIMIT.toSeconds(), TimeUnit.SECONDS);
              }
              if (calls.get() == 2) {
                throw new StackOverflowError();
              }
              return "at last";
            });
    faulty.before(
        Call.ABANDONED,
        count -> {
          if (count <= 2) {
            throw FaultyIdempotencyStore.lost();
          }
        });
    faulty.before(
        Call.RENEW,
        count -> {
          waitFor(mended);
          throw FaultyIdempotencyStore.lost();
        });
    abandon("x", odd, "order");
    try (Completer completer =
        claims.lease(SHORT).completer(odd).every(Duration.ofMillis(5)).start()) {
      assertThat(completer).isNotNull();
      await("it is completed", () -> status("x") == Status.DONE);
    } finally {
      mended.countDown();
    }
    assertThat(calls).hasValue(3);
    assertThat(Objects.requireNonNull(record("x").reply()).bytes()).isEqualTo(bytes("at last"));
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
