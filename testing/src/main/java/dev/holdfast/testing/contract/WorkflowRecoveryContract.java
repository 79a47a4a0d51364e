package dev.holdfast.testing.contract;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.BackgroundService;
import dev.holdfast.Health;
import dev.holdfast.idempotency.Idempotency.DeleteResult;
import dev.holdfast.idempotency.IdempotencyKey;
import dev.holdfast.idempotency.IdempotencyRecord.Status;
import dev.holdfast.idempotency.IdempotencyResult.Executed;
import dev.holdfast.idempotency.spi.IdempotencyStore.Attempts;
import dev.holdfast.testing.contract.FaultyIdempotencyStore.Call;
import dev.holdfast.workflow.Workflow;
import dev.holdfast.workflow.WorkflowRecovery;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
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
public abstract class WorkflowRecoveryContract extends WorkflowDefinitionTests {
  protected WorkflowRecoveryContract(Supplier<? extends IdempotencyStoreFixture> places) {
    super(places);
  }

  @Test
  void failedWorkflowPausesButClientMayRetry() throws Exception {
    failing.set(true);
    abandon("x", flow, "order");
    WorkflowRecovery completer = claims.recovery(flow);

    assertThat(completer.recoverNow()).isZero();
    assertThat(completer.recoverNow()).isZero();

    assertThat(runs).as("it rests").hasValue(1);
    assertThat(status("x")).isEqualTo(Status.INTERRUPTED);
    await(
        "its rest must be over",
        () -> {
          completer.recoverNow();
          return runs.get() == 2;
        });
    failing.set(false);
    assertThat(claims.run(flow, key("x"), "order")).isEqualTo(new Executed<>("order done"));
    assertThat(effects).as("only the mail").hasSize(1);
  }

  /** As those of a host that is gone, until the database notices. */
  @Test
  void lockedWorkflowsDoNotBlockOthers() {
    Workflow<String, String> quick = flow("quick", (input, claim) -> input);
    Set<IdempotencyKey> locked = new HashSet<>();
    for (int i = 0; i < 25; i++) {
      abandon("locked " + i, quick, "order");
      locked.add(key("locked " + i));
    }
    abandon("x", quick, "order");
    abandon("y", quick, "order");
    faulty.locked = locked::contains;

    assertThat(claims.recovery(quick).recoverNow()).isEqualTo(2);

    assertThat(status("x")).isEqualTo(Status.COMPLETED);
    assertThat(status("y")).isEqualTo(Status.COMPLETED);
    faulty.locked = key -> false;
    assertThat(claims.recovery(quick).recoverNow()).isEqualTo(25);
  }

  @Test
  void leavesExhaustedWorkflowUntilRetry() throws Exception {
    failing.set(true);
    abandon("x", flow, "order");
    WorkflowRecovery completer = claims.recovery(flow).maxAttempts(2);
    completer.recoverNow();
    assertThat(record("x").attempts()).isEqualTo(2);
    abandon("y", flow("other", this::work), "order");

    await(
        "its rest must be over",
        () -> !store.interrupted(List.of("pay"), Attempts.below(1000), 10).isEmpty());
    completer.recoverNow();
    assertThat(runs).as("left alone").hasValue(1);

    failing.set(false);
    assertThat(claims.run(flow, key("x"), "order")).isEqualTo(new Executed<>("order done"));
  }

  @Test
  void listsWorkflowsExhaustedByClients() {
    abandon("y", flow, "order");
    abandon("x", flow, "order");
    abandon("x", flow, "order");
    WorkflowRecovery completer = claims.recovery(flow).maxAttempts(2);

    assertThat(completer.exhausted(10)).containsExactly(key("x"));
    assertThat(completer.exhausted(1)).as("y does not stand before it").containsExactly(key("x"));
    assertThat(completer.recoverNow()).as("only y").isEqualTo(1);
    assertThat(claims.recovery(flow).exhausted(10)).as("100 by default").isEmpty();
  }

  @Test
  void skipsDeletedWorkflow() {
    abandon("x", flow, "order");
    faulty.listed = size -> assertThat(claims.delete(key("x"))).isEqualTo(DeleteResult.DELETED);

    assertThat(claims.recovery(flow).recoverNow()).isZero();

    assertThat(runs).hasValue(0);
    assertThat(store.find(key("x"))).isEmpty();
  }

  @Test
  void skipsCompletedExpiredWorkflow() {
    abandon("x", flow, "order", SHORT);
    faulty.listed =
        size -> {
          faulty.listed = again -> {};
          assertThat(with(o -> o.retention(SHORT)).recovery(flow).recoverNow()).isEqualTo(1);
          awaitTheEndOf("x");
        };

    assertThat(claims.recovery(flow).recoverNow()).isZero();

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

    assertThat(claims.recovery(flow).recoverNow()).isEqualTo(25);

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
    try (BackgroundService completer = claims.recovery(flow).interval(Duration.ofMillis(5));
        BackgroundService cleaning = claims.cleaner(Duration.ofMillis(1))) {
      completer.start();
      cleaning.start();
      await("it is completed", () -> status("x") == Status.COMPLETED);
      await("it is cleaned up", () -> faulty.count(Call.CLEAN_UP) > 3);
    }
  }

  @Test
  void manyPoisonedFlowsDoNotStarveAHealthyOne() {
    Workflow<String, String> poison =
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

    assertThat(claims.recovery(poison, flow).maxAttempts(2).recoverNow()).isEqualTo(1);

    assertThat(status("healthy")).isEqualTo(Status.COMPLETED);
    assertThat(runs).hasValue(61);
  }

  @Test
  void manyExhaustedWorkflowsDoNotBlockHealthyOne() {
    for (int i = 0; i < 55; i++) {
      abandon("p" + i, flow, "order");
    }
    for (int i = 0; i < 55; i++) {
      abandon("p" + i, flow, "order");
    }
    abandon("healthy", flow, "order");

    assertThat(claims.recovery(flow).maxAttempts(2).recoverNow()).isEqualTo(1);

    assertThat(status("healthy")).isEqualTo(Status.COMPLETED);
    assertThat(runs).hasValue(1);
  }

  @Test
  void aStartedCompleterGoesOnUntilItIsClosed() throws Exception {
    try (WorkflowRecovery completer = claims.recovery(flow).interval(Duration.ofMillis(5))) {
      completer.start();
      abandon("x", flow, "order");
      await("it is completed", () -> status("x") == Status.COMPLETED);
      assertThat(completer.health().status()).isEqualTo(Health.Status.UP);
      completer.start(); // it runs already
    }
    await(
        "its thread must end",
        () ->
            Thread.getAllStackTraces().keySet().stream()
                .noneMatch(thread -> thread.getName().equals("holdfast-workflow-recovery")));
    abandon("y", flow, "order");
    assertThat(status("y")).isEqualTo(Status.INTERRUPTED);
  }

  @Test
  void stopInterruptsWorkflowAfterTimeout() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    Workflow<String, String> stuck =
        flow(
            "stuck",
            (input, claim) -> {
              begun.countDown();
              new CountDownLatch(1).await(LIMIT.toSeconds(), TimeUnit.SECONDS);
              return "not interrupted";
            });
    abandon("x", stuck, "order");
    WorkflowRecovery completer = claims.recovery(stuck).interval(Duration.ofMillis(5));
    completer.start();
    waitFor(begun);

    assertThat(completer.stop(Duration.ofMillis(50))).isFalse();

    await("it is given back", () -> status("x") == Status.INTERRUPTED);
    assertThat(record("x").result()).isEmpty();
  }

  /** Stops a recovery in the middle of its first such call; whether that was interrupted. */
  private boolean interruptedIn(Call call, Workflow<String, String> of) throws Exception {
    CompletableFuture<WorkflowRecovery> started = new CompletableFuture<>();
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
    WorkflowRecovery completer = claims.recovery(of).interval(Duration.ofMillis(5));
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
    Workflow<String, String> broken =
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
    assertThat(status("x")).isEqualTo(Status.COMPLETED);
    assertThat(interruptedIn(Call.RELEASE, broken)).as("giving back").isFalse();
    assertThat(status("y")).isEqualTo(Status.INTERRUPTED);
    abandon("z", flow, "order");
    assertThat(interruptedIn(Call.CLAIM, flow)).as("claiming").isFalse();
    abandon("w", flow, "order");
    assertThat(interruptedIn(Call.RECORD, flow)).as("recording a step").isFalse();
  }

  @Test
  void recoverySurvivesFailures() throws Exception {
    CountDownLatch mended = new CountDownLatch(1);
    AtomicInteger calls = new AtomicInteger();
    Workflow<String, String> odd =
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
    try (WorkflowRecovery completer =
        with(o -> o.leaseDuration(SHORT)).recovery(odd).interval(Duration.ofMillis(5))) {
      completer.start();
      assertThat(completer).isNotNull();
      await("it is completed", () -> status("x") == Status.COMPLETED);
    } finally {
      mended.countDown();
    }
    assertThat(calls).hasValue(3);
    assertThat(record("x").result().orElseThrow().bytes()).isEqualTo(bytes("at last"));
  }

  /** How often the log says that a flow is left alone. */
  private static long leftAlone(ByteArrayOutputStream log, String name) {
    return log.toString(UTF_8)
        .lines()
        .filter(line -> line.contains(key(name).toString()) && line.contains("not resumed until"))
        .count();
  }

  @Test
  void warnsOnceOfExhaustedWorkflow() throws Exception {
    Workflow<String, String> broken =
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
    try (WorkflowRecovery completer =
        claims.recovery(flow, broken).maxAttempts(2).interval(Duration.ofMillis(1))) {
      completer.start();
      await("both are given up, and have rested", () -> completer.exhausted(10).size() == 2);
      int looks = faulty.count(Call.ABANDONED);
      await("they could be told again", () -> faulty.count(Call.ABANDONED) > looks + 50);
      abandon("healthy", flow, "order");
      await("it goes on", () -> status("healthy") == Status.COMPLETED);
    } finally {
      System.setErr(before);
    }
    assertThat(leftAlone(log, "clients")).isEqualTo(1);
    assertThat(leftAlone(log, "broken")).isEqualTo(1);
    assertThat(leftAlone(log, "healthy")).isZero();
  }
}
