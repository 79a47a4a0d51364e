package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.idempotency.IdempotencyRecord;
import dev.holdfast.idempotency.IdempotencyRequest;
import dev.holdfast.idempotency.IdempotencyResult;
import dev.holdfast.idempotency.IdempotencyResult.Executed;
import dev.holdfast.idempotency.IdempotencyResult.InProgress;
import dev.holdfast.idempotency.IdempotencyResult.KeyReused;
import dev.holdfast.idempotency.IdempotencyResult.Replayed;
import dev.holdfast.idempotency.ReplyCodecs;
import dev.holdfast.idempotency.RequestInProgressException;
import dev.holdfast.idempotency.spi.BeginResult;
import dev.holdfast.testing.ConcurrentActors;
import dev.holdfast.testing.contract.FaultyIdempotencyStore.Call;
import dev.holdfast.workflow.OpenWorkflow;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** What happens to a duplicate that waits for the one that is at work, or does not. */
public abstract class WorkflowWaitContract extends WorkflowTests {
  protected WorkflowWaitContract(Supplier<? extends IdempotencyStoreFixture> places) {
    super(places);
  }

  @Test
  void inProgressNamesStartAndRetryTime() {
    run(
        "x",
        claim -> {
          IdempotencyResult<String> told = run("x", c -> "no");
          assertThat(told).isInstanceOf(InProgress.class);
          InProgress<String> progress = (InProgress<String>) told;
          assertThat(progress.startedAt()).contains(record("x").startedAt());
          assertThat(progress.retryAfter()).isBetween(LONG.minusMinutes(1), LONG);
          assertThatThrownBy(told::orElseThrow)
              .isInstanceOfSatisfying(
                  RequestInProgressException.class,
                  e -> {
                    assertThat(e.startedAt()).isEqualTo(progress.startedAt());
                    assertThat(e.retryAfter()).isEqualTo(progress.retryAfter());
                  });
          assertThat(
                  claims.begin(
                      IdempotencyRequest.of(key("x"), ReplyCodecs.bytes()).fingerprint(PAYLOAD)))
              .isInstanceOfSatisfying(
                  BeginResult.InProgress.class,
                  begun -> assertThat((Object) begun.startedAt()).isEqualTo(progress.startedAt()));
          return "yes";
        });
  }

  @Test
  void waiterGetsResult() {
    CountDownLatch begun = new CountDownLatch(1);
    List<IdempotencyResult<String>> told =
        ConcurrentActors.run(
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
                  return with(o -> o.waitTimeout(LIMIT))
                      .run(
                          IdempotencyRequest.of(key("x"), TEXT).fingerprint(PAYLOAD),
                          claim -> "no");
                })
            .resultsOrThrow();

    assertThat(told.get(0)).isEqualTo(new Executed<>("done"));
    assertThat(told.subList(1, 4)).containsOnly(new Replayed<>("done"));
  }

  @Test
  void waitingIsBoundedAndChangesNothing() throws Exception {
    OpenWorkflow claim = open(claims, "x");
    claim.step("a", TEXT, () -> "1");
    IdempotencyRecord before = record("x");

    long begun = System.nanoTime();
    IdempotencyResult<String> told =
        with(o -> o.waitTimeout(SHORT))
            .run(IdempotencyRequest.of(key("x"), TEXT).fingerprint(PAYLOAD), c -> "no");

    assertThat(System.nanoTime() - begun).isGreaterThanOrEqualTo(SHORT.toNanos());
    assertThat(told).isInstanceOf(InProgress.class);
    assertThat(record("x")).isEqualTo(before);
    claim.complete(bytes("done"));
    assertThat(run("x", c -> "no")).isEqualTo(new Replayed<>("done"));
  }

  @Test
  void interruptedWaitKeepsInterrupt() {
    open(claims, "x");
    Thread.currentThread().interrupt();

    IdempotencyResult<String> told =
        with(o -> o.waitTimeout(LIMIT))
            .run(IdempotencyRequest.of(key("x"), TEXT).fingerprint(PAYLOAD), c -> "no");

    assertThat(Thread.interrupted()).isTrue();
    assertThat(told).isInstanceOf(InProgress.class);
  }

  @Test
  void waiterTakesOverReleasedRequest() {
    OpenWorkflow claim = open(claims, "x");
    List<IdempotencyResult<String>> told =
        ConcurrentActors.run(
                2,
                index -> {
                  if (index == 0) {
                    await("the other waits", () -> faulty.count(Call.CLAIM) > 3);
                    claim.release();
                    return new KeyReused<String>();
                  }
                  return with(o -> o.waitTimeout(LIMIT))
                      .run(
                          IdempotencyRequest.of(key("x"), TEXT).fingerprint(PAYLOAD),
                          c -> "second");
                })
            .resultsOrThrow();

    assertThat(told.get(1)).isEqualTo(new Executed<>("second"));
    assertThat(record("x").attempts()).isEqualTo(2);
  }
}
