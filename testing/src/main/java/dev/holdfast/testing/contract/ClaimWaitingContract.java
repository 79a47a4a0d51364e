package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.idempotency.Begun;
import dev.holdfast.idempotency.Claim;
import dev.holdfast.idempotency.IdempotencyRecord;
import dev.holdfast.idempotency.InProgressException;
import dev.holdfast.idempotency.OnceResult;
import dev.holdfast.idempotency.OnceResult.Executed;
import dev.holdfast.idempotency.OnceResult.InProgress;
import dev.holdfast.idempotency.OnceResult.Mismatch;
import dev.holdfast.idempotency.OnceResult.Replayed;
import dev.holdfast.testing.Actors;
import dev.holdfast.testing.contract.FaultyIdempotencyStore.Call;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** What happens to a duplicate that waits for the one that is at work, or does not. */
public abstract class ClaimWaitingContract extends ClaimTests {
  protected ClaimWaitingContract(Supplier<? extends IdempotencyPlace> places) {
    super(places);
  }

  @Test
  void whoDoesNotWaitIsToldAtOnceSinceWhenAndWhenToAskAgain() {
    run(
        "x",
        claim -> {
          OnceResult<String> told = run("x", c -> "no");
          assertThat(told).isInstanceOf(InProgress.class);
          InProgress<String> progress = (InProgress<String>) told;
          assertThat(progress.since()).isEqualTo(record("x").startedAt());
          assertThat(progress.retryAfter()).isBetween(LONG.minusMinutes(1), LONG);
          assertThatThrownBy(told::orThrow)
              .isInstanceOfSatisfying(
                  InProgressException.class,
                  e -> {
                    assertThat(e.since()).isEqualTo(progress.since());
                    assertThat(e.retryAfter()).isEqualTo(progress.retryAfter());
                  });
          assertThat(claims.begin(key("x"), PAYLOAD))
              .isInstanceOfSatisfying(
                  Begun.InProgress.class,
                  begun -> assertThat(begun.since()).isEqualTo(progress.since()));
          return "yes";
        });
  }

  @Test
  void whoeverWaitsIsAnsweredWhenTheFirstIsDone() {
    CountDownLatch begun = new CountDownLatch(1);
    List<OnceResult<String>> told =
        Actors.run(
                4,
                index -> {
                  if (index == 0) {
                    return run(
                        "x",
                        claim -> {
                          begun.countDown();
                          await("others wait", () -> faulty.count(Call.CLAIM) > 8);
                          return "done";
                        });
                  }
                  waitFor(begun);
                  return claims.waiting(LIMIT).run(key("x"), PAYLOAD, TEXT, claim -> "no");
                })
            .resultsOrThrow();

    assertThat(told.get(0)).isEqualTo(new Executed<>("done"));
    assertThat(told.subList(1, 4)).containsOnly(new Replayed<>("done"));
  }

  @Test
  void waitingIsBoundedAndChangesNothing() throws Exception {
    Claim claim = open(claims, "x");
    claim.step("a", TEXT, () -> "1");
    IdempotencyRecord before = record("x");

    long begun = System.nanoTime();
    OnceResult<String> told = claims.waiting(SHORT).run(key("x"), PAYLOAD, TEXT, c -> "no");

    assertThat(System.nanoTime() - begun).isGreaterThanOrEqualTo(SHORT.toNanos());
    assertThat(told).isInstanceOf(InProgress.class);
    assertThat(record("x")).isEqualTo(before);
    claim.complete(bytes("done"));
    assertThat(run("x", c -> "no")).isEqualTo(new Replayed<>("done"));
  }

  @Test
  void aWaitThatIsInterruptedEndsAndTheInterruptStays() {
    open(claims, "x");
    Thread.currentThread().interrupt();

    OnceResult<String> told = claims.waiting(LIMIT).run(key("x"), PAYLOAD, TEXT, c -> "no");

    assertThat(Thread.interrupted()).isTrue();
    assertThat(told).isInstanceOf(InProgress.class);
  }

  @Test
  void whoeverWaitsTakesOverWhatIsGivenBack() {
    Claim claim = open(claims, "x");
    List<OnceResult<String>> told =
        Actors.run(
                2,
                index -> {
                  if (index == 0) {
                    await("the other waits", () -> faulty.count(Call.CLAIM) > 3);
                    claim.release();
                    return new Mismatch<String>();
                  }
                  return claims.waiting(LIMIT).run(key("x"), PAYLOAD, TEXT, c -> "second");
                })
            .resultsOrThrow();

    assertThat(told.get(1)).isEqualTo(new Executed<>("second"));
    assertThat(record("x").attempts()).isEqualTo(2);
  }
}
