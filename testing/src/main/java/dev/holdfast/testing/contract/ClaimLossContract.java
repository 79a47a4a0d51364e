package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.idempotency.Claim;
import dev.holdfast.idempotency.ClaimLostException;
import dev.holdfast.idempotency.Claims;
import dev.holdfast.idempotency.IdempotencyRecord;
import dev.holdfast.idempotency.IdempotencyRecord.Status;
import dev.holdfast.idempotency.IdempotencyStore.Claimed;
import dev.holdfast.idempotency.IdempotencyStore.Request;
import dev.holdfast.idempotency.OnceResult.Executed;
import dev.holdfast.idempotency.OnceResult.InProgress;
import dev.holdfast.idempotency.OnceResult.Replayed;
import dev.holdfast.idempotency.RefusedException;
import dev.holdfast.testing.contract.FaultyIdempotencyStore.Call;
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

/** Claims whose owner is cut off from the store for longer than they last: the zombies. */
public abstract class ClaimLossContract extends ClaimTests {
  private final CountDownLatch mended = new CountDownLatch(1);

  protected ClaimLossContract(Supplier<? extends IdempotencyPlace> places) {
    super(places);
  }

  @BeforeEach
  final void shortLeases() {
    claims = claims.lease(SHORT);
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
  private Request thief() throws Exception {
    Request thief = request("x");
    takenOver(thief);
    return thief;
  }

  @Test
  void whoeverWorksIsToldByAnInterruptWhileTheStoreHangs() {
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
                        assertThat(claim.isHeld()).isFalse();
                        assertThatThrownBy(claim::ensureHeld)
                            .isInstanceOf(ClaimLostException.class);
                        throw e;
                      }
                      return "not told";
                    }))
        .isInstanceOf(ClaimLostException.class)
        .satisfies(
            e ->
                assertThat(e.getSuppressed())
                    .hasAtLeastOneElementOfType(InterruptedException.class));

    assertThat(interrupts).hasValue(1);
    assertThat(Thread.currentThread().isInterrupted()).isFalse();
  }

  @Test
  void whoeverWorksIsToldWhenTheStoreSaysThatItIsNotTheirs() {
    claims = claims.lease(SHORT.multipliedBy(20));
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
        .isInstanceOf(ClaimLostException.class);
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
    Claim zombie = open(claims, "x");
    zombie.step("a", TEXT, () -> "1");
    Request thief = thief();
    IdempotencyRecord before = record("x");

    assertThat(zombie.isHeld()).isFalse();
    assertThatThrownBy(() -> zombie.step("b", TEXT, () -> "2"))
        .isInstanceOf(ClaimLostException.class);
    assertThatThrownBy(() -> zombie.complete(bytes("zombie")))
        .isInstanceOf(ClaimLostException.class);
    assertThatThrownBy(() -> zombie.refuse(bytes("zombie"))).isInstanceOf(ClaimLostException.class);
    assertThat(zombie.release()).isFalse();

    assertThat(record("x")).isEqualTo(before);
    assertThat(store.renew(hold(thief), LONG)).isTrue();
    assertThat(store.complete(hold(thief), answer("thief"), DAY)).isTrue();
    assertThat(done(request("x"))).isEqualTo(answer("thief"));
  }

  @Test
  void aStepThatTookLongerThanTheLeaseIsNotRecordedByTheZombie() throws Exception {
    hangRenewals();
    Claim zombie = open(claims, "x");

    assertThatThrownBy(
            () ->
                zombie.step(
                    "a",
                    TEXT,
                    () -> {
                      thief();
                      return "zombie";
                    }))
        .isInstanceOf(ClaimLostException.class);

    assertThat(record("x").steps()).isEmpty();
    assertThat(zombie.steps()).isEmpty();
    assertThat(zombie.isHeld()).isFalse();
  }

  @Test
  void theResultOfAZombieIsNotPublished() {
    hangRenewals();
    Request[] thief = new Request[1];

    assertThatThrownBy(
            () ->
                run(
                    "x",
                    claim -> {
                      thief[0] = withoutInterrupts(this::thief);
                      return "zombie";
                    }))
        .isInstanceOf(ClaimLostException.class);

    assertThat(Thread.currentThread().isInterrupted()).isFalse();
    assertThat(store.complete(hold(thief[0]), answer("thief"), DAY)).isTrue();
    assertThat(done(request("x"))).isEqualTo(answer("thief"));
  }

  @Test
  void aZombieDoesNotOverwriteWhatTheWinnerHasPutIntoTheVault() throws Exception {
    hangRenewals();
    MemoryVault vault = new MemoryVault();
    claims = claims.largestReply(1).vault(vault);
    Claim zombie = open(claims, "x");
    Claims others = claimsOn(store).largestReply(1).vault(vault).waiting(LIMIT);
    open(others, "x").complete(bytes("winner"));

    assertThatThrownBy(() -> zombie.complete(bytes("zombie")))
        .isInstanceOf(ClaimLostException.class);

    assertThat(vault.kept).as("both have put an answer").hasSize(2);
    assertThat(run("x", claim -> "no")).isEqualTo(new Replayed<>("winner"));
  }

  @Test
  void theFailureAndTheRefusalOfAZombieChangeNothing() throws Exception {
    hangRenewals();
    Request[] thief = new Request[1];

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
                assertThat(e.getSuppressed()).hasAtLeastOneElementOfType(ClaimLostException.class));
    assertThat(status("x")).isEqualTo(Status.IN_PROGRESS);
    assertThat(store.renew(hold(thief[0]), SHORT)).isTrue();
    await("the thief's must run out", () -> status("x") == Status.ABANDONED);

    assertThatThrownBy(
            () ->
                run(
                    "x",
                    claim -> {
                      withoutInterrupts(this::thief);
                      throw new RefusedException("too late");
                    }))
        .isInstanceOf(ClaimLostException.class);
    assertThat(status("x")).isEqualTo(Status.IN_PROGRESS);
    assertThat(record("x").reply()).isNull();
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
  void anInterruptOfSomebodyElseIsKept() throws Exception {
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
                      while (claim.isHeld()) {
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
  void anInterruptedFailureOfSomebodyElseIsThrownAsItIs() {
    assertThatThrownBy(
            () ->
                run(
                    "x",
                    claim -> {
                      throw new InterruptedException("somebody else");
                    }))
        .isInstanceOf(InterruptedException.class);
    assertThat(status("x")).isEqualTo(Status.ABANDONED);
  }

  @Test
  void anAnswerThatTookLongerThanTheLeaseIsNoClaim() throws Exception {
    Request thief = request("x");
    faulty.after(
        Call.CLAIM,
        count -> {
          if (count == 1) {
            await60("the claim must run out", () -> store.claim(thief) instanceof Claimed.Granted);
          }
        });

    assertThat(run("x", claim -> "zombie")).isInstanceOf(InProgress.class);

    assertThat(store.renew(hold(thief), LONG)).isTrue();
  }

  @Test
  void anAnswerThatTookLongerThanTheLeaseIsBroughtBackWhereNobodyTookIt() {
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
                  assertThat(claim.isHeld()).isTrue();
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
    Claim stuck = open(claims, "x");
    FaultyIdempotencyStore healthy = new FaultyIdempotencyStore(store);
    Claim other = open(claimsOn(healthy).lease(SHORT), "y");

    await("the other is renewed", () -> healthy.count(Call.RENEW) >= 5);

    assertThat(other.isHeld()).isTrue();
    await("the stuck one is lost", () -> !stuck.isHeld());
    other.release();
  }
}
