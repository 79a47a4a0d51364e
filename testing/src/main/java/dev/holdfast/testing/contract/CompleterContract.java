package dev.holdfast.testing.contract;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.BackgroundService;
import dev.holdfast.Health;
import dev.holdfast.idempotency.Completer;
import dev.holdfast.idempotency.Flow;
import dev.holdfast.idempotency.IdempotencyKey;
import dev.holdfast.idempotency.IdempotencyRecord.Status;
import dev.holdfast.idempotency.IdempotencyStore.Attempts;
import dev.holdfast.idempotency.OnceResult.Executed;
import dev.holdfast.testing.contract.FaultyIdempotencyStore.Call;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** Completers: what fails rests, is left alone at last, and holds up nothing else. */
public abstract class CompleterContract extends FlowTests {
  protected CompleterContract(Supplier<? extends IdempotencyPlace> places) {
    super(places);
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

  /** As those of a host that is gone, until the database notices. */
  @Test
  void flowsThatSomebodyHasLockedDoNotHoldUpThoseBehindThem() {
    Flow<String, String> quick = flow("quick", (input, claim) -> input);
    Set<IdempotencyKey> locked = new HashSet<>();
    for (int i = 0; i < 25; i++) {
      abandon("locked " + i, quick, "order");
      locked.add(key("locked " + i));
    }
    abandon("x", quick, "order");
    abandon("y", quick, "order");
    faulty.locked = locked::contains;

    assertThat(claims.completer(quick).complete()).isEqualTo(2);

    assertThat(status("x")).isEqualTo(Status.DONE);
    assertThat(status("y")).isEqualTo(Status.DONE);
    faulty.locked = key -> false;
    assertThat(claims.completer(quick).complete()).isEqualTo(25);
  }

  @Test
  void aFlowIsLeftAloneAfterSoManyAttemptsUntilItsRequestIsRepeated() throws Exception {
    failing.set(true);
    abandon("x", flow, "order");
    Completer completer = claims.completer(flow).mostAttempts(2);
    completer.complete();
    assertThat(record("x").attempts()).isEqualTo(2);
    abandon("y", flow("other", this::work), "order");

    await(
        "its rest must be over",
        () -> !store.abandoned(List.of("pay"), Attempts.below(1000), 10).isEmpty());
    completer.complete();
    assertThat(runs).as("left alone").hasValue(1);

    failing.set(false);
    assertThat(claims.run(flow, key("x"), "order")).isEqualTo(new Executed<>("order done"));
  }

  @Test
  void flowsThatWereGivenUpAreToldAlsoWhereClientsMadeTheAttempts() {
    abandon("y", flow, "order");
    abandon("x", flow, "order");
    abandon("x", flow, "order");
    Completer completer = claims.completer(flow).mostAttempts(2);

    assertThat(completer.givenUp(10)).containsExactly(key("x"));
    assertThat(completer.givenUp(1)).as("y does not stand before it").containsExactly(key("x"));
    assertThat(completer.complete()).as("only y").isEqualTo(1);
    assertThat(claims.completer(flow).givenUp(10)).as("100 by default").isEmpty();
  }

  @Test
  void whatWasForgottenSinceItWasListedIsNotBegunAnew() {
    abandon("x", flow, "order");
    faulty.listed = size -> assertThat(claims.forget(key("x"))).isTrue();

    assertThat(claims.completer(flow).complete()).isZero();

    assertThat(runs).hasValue(0);
    assertThat(store.find(key("x"))).isEmpty();
  }

  @Test
  void whatWasDoneAndIsOverSinceItWasListedIsNotBegunAnew() {
    abandon("x", flow, "order", SHORT);
    faulty.listed =
        size -> {
          faulty.listed = again -> {};
          assertThat(claims.retention(SHORT).completer(flow).complete()).isEqualTo(1);
          awaitTheEndOf("x");
        };

    assertThat(claims.completer(flow).complete()).isZero();

    assertThat(runs).hasValue(1);
  }

  private void awaitTheEndOf(String name) {
    try {
      await("its retention must be over", () -> store.find(key(name)).isEmpty());
    } catch (Exception e) {
      throw new AssertionError(e);
    }
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
    try (BackgroundService completer = claims.completer(flow).every(Duration.ofMillis(5));
        BackgroundService cleaning = claims.cleaner(Duration.ofMillis(1))) {
      completer.start();
      cleaning.start();
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
  void aStartedCompleterGoesOnUntilItIsClosed() throws Exception {
    try (Completer completer = claims.completer(flow).every(Duration.ofMillis(5))) {
      completer.start();
      abandon("x", flow, "order");
      await("it is completed", () -> status("x") == Status.DONE);
      assertThat(completer.health().status()).isEqualTo(Health.Status.UP);
      completer.start(); // it runs already
    }
    await(
        "its thread must end",
        () ->
            Thread.getAllStackTraces().keySet().stream()
                .noneMatch(thread -> thread.getName().equals("holdfast-workflow-recovery")));
    abandon("y", flow, "order");
    assertThat(status("y")).isEqualTo(Status.ABANDONED);
  }

  @Test
  void stoppingInterruptsTheFlowAfterItsTimeoutAndLeavesItToOthers() throws Exception {
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
    Completer completer = claims.completer(stuck).every(Duration.ofMillis(5));
    completer.start();
    waitFor(begun);

    assertThat(completer.stop(Duration.ofMillis(50))).isFalse();

    await("it is given back", () -> status("x") == Status.ABANDONED);
    assertThat(record("x").reply()).isNull();
  }

  /** Stops a completer in the middle of its first such call; whether that was interrupted. */
  private boolean interruptedIn(Call call, Flow<String, String> of) throws Exception {
    CompletableFuture<Completer> started = new CompletableFuture<>();
    CompletableFuture<Thread> closed = new CompletableFuture<>();
    AtomicBoolean interrupted = new AtomicBoolean();
    faulty.before(
        call,
        count -> {
          if (!closed.isDone()) {
            CompletableFuture.supplyAsync(() -> started.join().stop(Duration.ZERO)).join();
            interrupted.set(Thread.currentThread().isInterrupted());
            closed.complete(Thread.currentThread());
          }
        });
    Completer completer = claims.completer(of).every(Duration.ofMillis(5));
    completer.start();
    started.complete(completer);
    Thread completing = closed.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
    completing.join(LIMIT.toMillis());
    assertThat(completing.isAlive()).as("it must end").isFalse();
    faulty.mend();
    return interrupted.get();
  }

  @Test
  void stoppingInterruptsNoStatementOfOurs() throws Exception {
    Flow<String, String> broken =
        flow(
            "broken",
            (input, claim) -> {
              throw new IOException("failed");
            });
    abandon("x", flow, "order");
    abandon("y", broken, "order");

    assertThat(interruptedIn(Call.ABANDONED, flow)).as("looking").isFalse();
    assertThat(runs).hasValue(0);
    assertThat(interruptedIn(Call.COMPLETE, flow)).as("keeping the answer").isFalse();
    assertThat(status("x")).isEqualTo(Status.DONE);
    assertThat(interruptedIn(Call.RELEASE, broken)).as("giving back").isFalse();
    assertThat(status("y")).isEqualTo(Status.ABANDONED);
    abandon("z", flow, "order");
    assertThat(interruptedIn(Call.CLAIM, flow)).as("claiming").isFalse();
    abandon("w", flow, "order");
    assertThat(interruptedIn(Call.RECORD, flow)).as("recording a step").isFalse();
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
    try (Completer completer = claims.lease(SHORT).completer(odd).every(Duration.ofMillis(5))) {
      completer.start();
      assertThat(completer).isNotNull();
      await("it is completed", () -> status("x") == Status.DONE);
    } finally {
      mended.countDown();
    }
    assertThat(calls).hasValue(3);
    assertThat(Objects.requireNonNull(record("x").reply()).bytes()).isEqualTo(bytes("at last"));
  }

  /** How often the log says that a flow is left alone. */
  private static long leftAlone(ByteArrayOutputStream log, String name) {
    return log.toString(UTF_8)
        .lines()
        .filter(line -> line.contains(key(name).toString()) && line.contains("is left alone"))
        .count();
  }

  @Test
  void aStartedCompleterWarnsOnceOfEachFlowThatIsGivenUpAndGoesOn() throws Exception {
    Flow<String, String> broken =
        flow(
            "broken",
            (input, claim) -> {
              throw new NoClassDefFoundError("of the work");
            });
    abandon("clients", flow, "order");
    abandon("clients", flow, "order");
    abandon("broken", broken, "order");
    ByteArrayOutputStream log = new ByteArrayOutputStream();
    PrintStream before = System.err;
    System.setErr(new PrintStream(log, true, UTF_8));
    try (Completer completer =
        claims.completer(flow, broken).mostAttempts(2).every(Duration.ofMillis(1))) {
      completer.start();
      await("both are given up, and have rested", () -> completer.givenUp(10).size() == 2);
      int looks = faulty.count(Call.ABANDONED);
      await("they could be told again", () -> faulty.count(Call.ABANDONED) > looks + 50);
      abandon("healthy", flow, "order");
      await("it goes on", () -> status("healthy") == Status.DONE);
    } finally {
      System.setErr(before);
    }
    assertThat(leftAlone(log, "clients")).isEqualTo(1);
    assertThat(leftAlone(log, "broken")).isEqualTo(1);
    assertThat(leftAlone(log, "healthy")).isZero();
  }
}
