package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.LeaseLostException;
import dev.holdfast.idempotency.IdempotencyRecord;
import dev.holdfast.idempotency.IdempotencyRecord.Status;
import dev.holdfast.idempotency.IdempotencyResult.Executed;
import dev.holdfast.idempotency.IdempotencyResult.InProgress;
import dev.holdfast.idempotency.IdempotencyResult.Replayed;
import dev.holdfast.idempotency.RejectedException;
import dev.holdfast.idempotency.spi.IdempotencyStore.ClaimRequest;
import dev.holdfast.idempotency.spi.IdempotencyStore.ClaimResult;
import dev.holdfast.testing.contract.FaultyIdempotencyStore.Call;
import dev.holdfast.workflow.OpenWorkflow;
import dev.holdfast.workflow.Workflows;
import java.io.IOException;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Workflows whose owner is cut off from the store for longer than they last: the zombies. */
public abstract class WorkflowLeaseLossContract extends WorkflowTests {
  private final CountDownLatch mended = new CountDownLatch(1);

  protected WorkflowLeaseLossContract(Supplier<? extends IdempotencyStoreFixture> places) {
    super(places);
  }

  @BeforeEach
  final void shortLeases() {
    claims = with(o -> o.leaseDuration(SHORT));
  }

  @AfterEach
  final void letGo() {
    mended.countDown();
    assertThat(Thread.interrupted()).as("no interrupt has leaked").isFalse();
  }

  /** Renewals do not come back until the test is over. */
  private void hangRenewals() {
    faulty.before(
        Call.RENEW,
        count -> {
          waitFor(mended);
          throw FaultyIdempotencyStore.lost();
        });
  }

  /** Another process takes the claim as soon as it has run out. */
  private ClaimRequest thief() throws Exception {
    ClaimRequest thief = request("x");
    takenOver(thief);
    return thief;
  }

  @Test
  void interruptsWorkWhileStoreHangs() {
    hangRenewals();
    AtomicInteger interrupts = new AtomicInteger();

    assertThatThrownBy(
            () ->
                run(
                    "x",
                    claim -> {
                      try {
                        new CountDownLatch(1).await(LIMIT.toSeconds(), TimeUnit.SECONDS);
                      } catch (InterruptedException e) {
                        interrupts.incrementAndGet();
                        assertThat(claim.isLeaseValid()).isFalse();
                        assertThatThrownBy(claim::ensureLeaseValid)
                            .isInstanceOf(LeaseLostException.class);
                        throw e;
                      }
                      return "not told";
                    }))
        .isInstanceOf(LeaseLostException.class)
        .satisfies(
            e ->
                assertThat(e.getSuppressed())
                    .hasAtLeastOneElementOfType(InterruptedException.class));

    assertThat(interrupts).hasValue(1);
    assertThat(Thread.currentThread().isInterrupted()).isFalse();
  }

  @Test
  void interruptsWorkAfterTakeover() {
    claims = with(o -> o.leaseDuration(SHORT.multipliedBy(20)));
    faulty.before(
        Call.RENEW,
        count -> {
          if (count == 1) {
            store.release(Objects.requireNonNull(faulty.renewed), LONG);
            granted(request("x"));
          }
        });

    assertThatThrownBy(
            () ->
                run(
                    "x",
                    claim -> {
                      new CountDownLatch(1).await(LIMIT.toSeconds(), TimeUnit.SECONDS);
                      return "not told";
                    }))
        .isInstanceOf(LeaseLostException.class);
  }

  private static void await60(String what, Condition condition) {
    try {
      await(what, condition);
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void aZombieCanChangeNothing() throws Exception {
    hangRenewals();
    OpenWorkflow zombie = open(claims, "x");
    zombie.step("a", TEXT, () -> "1");
    ClaimRequest thief = thief();
    IdempotencyRecord before = record("x");

    assertThat(zombie.isLeaseValid()).isFalse();
    assertThatThrownBy(() -> zombie.step("b", TEXT, () -> "2"))
        .isInstanceOf(LeaseLostException.class);
    assertThatThrownBy(() -> zombie.complete(bytes("zombie")))
        .isInstanceOf(LeaseLostException.class);
    assertThatThrownBy(() -> zombie.reject(bytes("zombie"))).isInstanceOf(LeaseLostException.class);
    assertThat(zombie.release()).isFalse();

    assertThat(record("x")).isEqualTo(before);
    assertThat(store.renew(hold(thief), LONG)).isTrue();
    assertThat(store.complete(hold(thief), answer("thief"), DAY)).isTrue();
    assertThat(done(request("x"))).isEqualTo(answer("thief"));
  }

  @Test
  void staleOwnerCannotRecordStep() throws Exception {
    hangRenewals();
    OpenWorkflow zombie = open(claims, "x");

    assertThatThrownBy(
            () ->
                zombie.step(
                    "a",
                    TEXT,
                    () -> {
                      thief();
                      return "zombie";
                    }))
        .isInstanceOf(LeaseLostException.class);

    assertThat(record("x").steps()).isEmpty();
    assertThat(zombie.completedSteps()).isEmpty();
    assertThat(zombie.isLeaseValid()).isFalse();
  }

  @Test
  void theResultOfAZombieIsNotPublished() {
    hangRenewals();
    ClaimRequest[] thief = new ClaimRequest[1];

    assertThatThrownBy(
            () ->
                run(
                    "x",
                    claim -> {
                      thief[0] = withoutInterrupts(this::thief);
                      return "zombie";
                    }))
        .isInstanceOf(LeaseLostException.class);

    assertThat(Thread.currentThread().isInterrupted()).isFalse();
    assertThat(store.complete(hold(thief[0]), answer("thief"), DAY)).isTrue();
    assertThat(done(request("x"))).isEqualTo(answer("thief"));
  }

  @Test
  void staleOwnerCannotOverwriteVault() throws Exception {
    hangRenewals();
    MemoryResultStore vault = new MemoryResultStore();
    claims = with(o -> o.leaseDuration(SHORT).maxResultSize(1).largeResultStore(vault));
    OpenWorkflow zombie = open(claims, "x");
    Workflows others =
        claimsOn(store, o -> o.maxResultSize(1).largeResultStore(vault).waitTimeout(LIMIT));
    open(others, "x").complete(bytes("winner"));

    assertThatThrownBy(() -> zombie.complete(bytes("zombie")))
        .isInstanceOf(LeaseLostException.class);

    assertThat(vault.kept).as("both have put an answer").hasSize(2);
    assertThat(run("x", claim -> "no")).isEqualTo(new Replayed<>("winner"));
  }

  @Test
  void staleOwnerCannotFailOrReject() throws Exception {
    hangRenewals();
    ClaimRequest[] thief = new ClaimRequest[1];

    assertThatThrownBy(
            () ->
                run(
                    "x",
                    claim -> {
                      thief[0] = withoutInterrupts(this::thief);
                      throw new IOException("too late");
                    }))
        .isInstanceOf(IOException.class)
        .satisfies(
            e ->
                assertThat(e.getSuppressed()).hasAtLeastOneElementOfType(LeaseLostException.class));
    assertThat(status("x")).isEqualTo(Status.IN_PROGRESS);
    assertThat(store.renew(hold(thief[0]), SHORT)).isTrue();
    await("the thief's must run out", () -> status("x") == Status.INTERRUPTED);

    assertThatThrownBy(
            () ->
                run(
                    "x",
                    claim -> {
                      withoutInterrupts(this::thief);
                      throw new RejectedException("too late");
                    }))
        .isInstanceOf(LeaseLostException.class);
    assertThat(status("x")).isEqualTo(Status.IN_PROGRESS);
    assertThat(record("x").result()).isEmpty();
  }

  /** A test's own waiting, which an interrupt must not end. */
  private static <T> T withoutInterrupts(Callable<T> waiting) throws IOException {
    FutureTask<T> task = new FutureTask<>(waiting);
    Thread thread = new Thread(task);
    thread.start();
    boolean interrupted = false;
    for (; ; ) {
      try {
        T done = task.get();
        if (interrupted) {
          Thread.currentThread().interrupt();
        }
        return done;
      } catch (InterruptedException e) {
        interrupted = true;
      } catch (ExecutionException e) {
        throw new AssertionError(e);
      }
    }
  }

  @Test
  void keepsForeignInterrupt() throws Exception {
    assertThat(
            run(
                "x",
                claim -> {
                  Thread.currentThread().interrupt();
                  return claim.step("a", TEXT, () -> "done");
                }))
        .isEqualTo(new Executed<>("done"));
    assertThat(Thread.interrupted()).isTrue();

    hangRenewals();
    assertThatThrownBy(
            () ->
                run(
                    "y",
                    claim -> {
                      Thread.currentThread().interrupt();
                      while (claim.isLeaseValid()) {
                        Thread.onSpinWait();
                      }
                      // beside the alarm, which is told at the same moment
                      long end = System.nanoTime() + SHORT.toNanos();
                      while (System.nanoTime() - end < 0) {
                        Thread.onSpinWait();
                      }
                      throw new IOException("failed");
                    }))
        .isInstanceOf(IOException.class);
    assertThat(Thread.interrupted()).isTrue();
  }

  @Test
  void rethrowsForeignInterruptedFailure() {
    assertThatThrownBy(
            () ->
                run(
                    "x",
                    claim -> {
                      throw new InterruptedException("somebody else");
                    }))
        .isInstanceOf(InterruptedException.class);
    assertThat(status("x")).isEqualTo(Status.INTERRUPTED);
  }

  @Test
  void resultAfterExpiryIsLost() throws Exception {
    ClaimRequest thief = request("x");
    faulty.after(
        Call.CLAIM,
        count -> {
          if (count == 1) {
            await60(
                "the claim must run out", () -> store.claim(thief) instanceof ClaimResult.Granted);
          }
        });

    assertThat(run("x", claim -> "zombie")).isInstanceOf(InProgress.class);

    assertThat(store.renew(hold(thief), LONG)).isTrue();
  }

  @Test
  void lateResultIsStoredIfUntaken() {
    faulty.before(
        Call.CLAIM,
        count -> {
          if (count == 1) {
            sleep();
          }
        });

    assertThat(
            run(
                "x",
                claim -> {
                  assertThat(claim.isLeaseValid()).isTrue();
                  return "done";
                }))
        .isEqualTo(new Executed<>("done"));
    assertThat(faulty.count(Call.RENEW)).isPositive();
  }

  private static void sleep() {
    try {
      Thread.sleep(SHORT.multipliedBy(2).toMillis());
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void aStoreThatHangsHoldsUpNoClaimsInAnother() throws Exception {
    hangRenewals();
    OpenWorkflow stuck = open(claims, "x");
    FaultyIdempotencyStore healthy = new FaultyIdempotencyStore(store);
    OpenWorkflow other = open(claimsOn(healthy, o -> o.leaseDuration(SHORT)), "y");

    await("the other is renewed", () -> healthy.count(Call.RENEW) >= 5);

    assertThat(other.isLeaseValid()).isTrue();
    await("the stuck one is lost", () -> !stuck.isLeaseValid());
    other.release();
  }
}
