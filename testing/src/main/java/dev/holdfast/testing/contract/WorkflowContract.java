package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.BackgroundService;
import dev.holdfast.idempotency.Idempotency.DeleteResult;
import dev.holdfast.idempotency.IdempotencyRecord.Status;
import dev.holdfast.idempotency.IdempotencyRequest;
import dev.holdfast.idempotency.IdempotencyResult;
import dev.holdfast.idempotency.IdempotencyResult.Executed;
import dev.holdfast.idempotency.IdempotencyResult.KeyReused;
import dev.holdfast.idempotency.IdempotencyResult.Replayed;
import dev.holdfast.idempotency.IncompleteRecordException;
import dev.holdfast.idempotency.KeyReusedException;
import dev.holdfast.idempotency.RejectedException;
import dev.holdfast.idempotency.ReplyCodecs;
import dev.holdfast.idempotency.ResultTooLargeException;
import dev.holdfast.idempotency.spi.BeginResult;
import dev.holdfast.testing.ConcurrentActors;
import dev.holdfast.testing.contract.FaultyIdempotencyStore.Call;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** What whoever sends a request under a claim is answered. */
public abstract class WorkflowContract extends WorkflowTests {
  protected WorkflowContract(Supplier<? extends IdempotencyStoreFixture> places) {
    super(places);
  }

  @Test
  void sameKeyExecutesOnce() {
    AtomicInteger runs = new AtomicInteger();

    IdempotencyResult<String> first = run("x", claim -> "answer " + runs.incrementAndGet());
    IdempotencyResult<String> second = run("x", claim -> "answer " + runs.incrementAndGet());

    assertThat(first).isEqualTo(new Executed<>("answer 1"));
    assertThat(second).isEqualTo(new Replayed<>("answer 1"));
    assertThat(second.orElseThrow()).isEqualTo("answer 1");
    assertThat(runs).hasValue(1);
  }

  @Test
  @SuppressWarnings("NullAway") // an answer that is null
  void answersOfNothingAreReplayed() {
    for (int i = 0; i < 2; i++) {
      IdempotencyResult<?> told =
          claims.run(
              IdempotencyRequest.of(key("x"), ReplyCodecs.nothing()).fingerprint(PAYLOAD),
              claim -> null);
      assertThat(told.orElseThrow()).isNull();
      IdempotencyResult<byte[]> bytes =
          claims.run(
              IdempotencyRequest.of(key("y"), ReplyCodecs.bytes()).fingerprint(PAYLOAD),
              claim -> new byte[0]);
      assertThat(bytes.orElseThrow()).isEmpty();
    }
  }

  @Test
  void rejectsOtherPayload() {
    IdempotencyResult<String> told =
        run(
            "x",
            claim -> {
              IdempotencyResult<String> other =
                  claims.run(
                      IdempotencyRequest.of(key("x"), TEXT).fingerprint(OTHER_PAYLOAD), c -> "no");
              assertThat(other).isInstanceOf(KeyReused.class);
              assertThatThrownBy(other::orElseThrow).isInstanceOf(KeyReusedException.class);
              assertThat(
                      claims.begin(
                          IdempotencyRequest.of(key("x"), ReplyCodecs.bytes())
                              .fingerprint(OTHER_PAYLOAD)))
                  .isInstanceOf(BeginResult.KeyReused.class);
              return "yes";
            });

    assertThat(told).isEqualTo(new Executed<>("yes"));
    assertThat(
            claims.run(IdempotencyRequest.of(key("x"), TEXT).fingerprint(OTHER_PAYLOAD), c -> "no"))
        .isInstanceOf(KeyReused.class);
  }

  @Test
  void failureReleasesRequest() {
    assertThatThrownBy(
            () ->
                run(
                    "x",
                    claim -> {
                      throw new IOException("no route");
                    }))
        .isInstanceOf(IOException.class)
        .hasMessage("no route")
        .hasNoSuppressedExceptions();

    assertThat(status("x")).isEqualTo(Status.INTERRUPTED);
    IdempotencyResult<String> told =
        run(
            "x",
            claim -> {
              assertThat(claim.attempt()).isEqualTo(2);
              return "now";
            });
    assertThat(told).isEqualTo(new Executed<>("now"));
  }

  @Test
  void anErrorGivesTheClaimBackToo() {
    assertThatThrownBy(
            () ->
                run(
                    "x",
                    claim -> {
                      throw new StackOverflowError();
                    }))
        .isInstanceOf(StackOverflowError.class);
    assertThat(run("x", claim -> "now")).isEqualTo(new Executed<>("now"));
  }

  @Test
  void aRefusalIsKeptAndThrownAgain() {
    assertThatThrownBy(
            () ->
                run(
                    "x",
                    claim -> {
                      throw new RejectedException("not covered");
                    }))
        .isInstanceOfSatisfying(RejectedException.class, e -> assertThat(e.isReplayed()).isFalse());

    assertThatThrownBy(() -> run("x", claim -> "no"))
        .isInstanceOfSatisfying(
            RejectedException.class,
            e -> {
              assertThat(e.isReplayed()).isTrue();
              assertThat(e.text()).isEqualTo("not covered");
            });
    assertThat(
            claims.begin(IdempotencyRequest.of(key("x"), ReplyCodecs.bytes()).fingerprint(PAYLOAD)))
        .isInstanceOfSatisfying(
            BeginResult.Replayed.class,
            replayed -> {
              assertThat(replayed.rejected()).isTrue();
              assertThat(replayed.result()).isEqualTo(bytes("not covered"));
            });
  }

  @Test
  @SuppressWarnings("NullAway") // a function that may answer null
  void whichFailuresAreRefusalsIsAChoice() {
    claims =
        with(
            o ->
                o.rejectOn(
                    e ->
                        e instanceof IllegalStateException
                            ? Optional.of(new RejectedException("sold out"))
                            : Optional.empty()));

    assertThatThrownBy(
            () ->
                run(
                    "x",
                    claim -> {
                      throw new IllegalStateException("none left");
                    }))
        .isInstanceOf(RejectedException.class)
        .hasCauseInstanceOf(IllegalStateException.class);
    assertThat(status("x")).isEqualTo(Status.COMPLETED);
    assertThatThrownBy(
            () ->
                run(
                    "y",
                    claim -> {
                      throw new IllegalArgumentException("oops");
                    }))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(status("y")).isEqualTo(Status.INTERRUPTED);
  }

  @Test
  void aRefusalThatIsTooLargeIsAFailure() {
    claims = with(o -> o.maxResultSize(3));

    assertThatThrownBy(
            () ->
                run(
                    "x",
                    claim -> {
                      throw new RejectedException("more than three");
                    }))
        .isInstanceOf(ResultTooLargeException.class);
    assertThat(status("x")).isEqualTo(Status.INTERRUPTED);
  }

  @Test
  void oversizedResultTakesEffectOnce() {
    claims = with(o -> o.maxResultSize(3));

    assertThat(run("x", claim -> "1234")).isEqualTo(new Executed<>("1234"));

    assertThatThrownBy(() -> run("x", claim -> "no"))
        .isInstanceOfSatisfying(
            ResultTooLargeException.class, e -> assertThat(e.isEffective()).isTrue())
        .hasMessageContaining("4 bytes");
    assertThatThrownBy(
            () ->
                claims.begin(
                    IdempotencyRequest.of(key("x"), ReplyCodecs.bytes()).fingerprint(PAYLOAD)))
        .isInstanceOf(ResultTooLargeException.class);
    assertThat(run("y", claim -> "123")).isEqualTo(new Executed<>("123"));
    assertThat(run("y", claim -> "no")).isEqualTo(new Replayed<>("123"));
  }

  @Test
  void answersInAVaultAreReplayed() {
    MemoryResultStore vault = new MemoryResultStore();
    claims = with(o -> o.maxResultSize(3).largeResultStore(vault));

    assertThat(run("x", claim -> "1234")).isEqualTo(new Executed<>("1234"));

    assertThat(vault.kept).hasSize(1);
    assertThat(run("x", claim -> "no")).isEqualTo(new Replayed<>("1234"));
    assertThat(
            claims.begin(IdempotencyRequest.of(key("x"), ReplyCodecs.bytes()).fingerprint(PAYLOAD)))
        .isInstanceOfSatisfying(
            BeginResult.Replayed.class,
            replayed -> {
              assertThat(replayed.result()).isEqualTo(bytes("1234"));
              assertThat(replayed.rejected()).isFalse();
            });
    run("small", claim -> "123");
    assertThat(vault.kept).hasSize(1);
    assertThatThrownBy(
            () ->
                claimsOn(store)
                    .run(IdempotencyRequest.of(key("x"), TEXT).fingerprint(PAYLOAD), claim -> "no"))
        .isInstanceOf(IncompleteRecordException.class)
        .hasMessageContaining("store");
  }

  @Test
  void expiredRecordIsNew() throws Exception {
    claims = with(o -> o.retention(SHORT));
    run("x", claim -> "first");
    assertThat(run("x", claim -> "no")).isEqualTo(new Replayed<>("first"));

    await("it must be over", () -> store.find(key("x")).isEmpty());

    assertThat(run("x", claim -> "second")).isEqualTo(new Executed<>("second"));
  }

  @Test
  void recordsAreFoundForgottenAndCleanedUp() throws Exception {
    run("x", claim -> "done");
    assertThat(claims.find(key("x")).orElseThrow().status()).isEqualTo(Status.COMPLETED);
    assertThat(claims.delete(key("x"))).isEqualTo(DeleteResult.DELETED);
    assertThat(claims.find(key("x"))).isEmpty();
    with(o -> o.retention(Duration.ofMillis(1)))
        .run(IdempotencyRequest.of(key("old"), TEXT).fingerprint(PAYLOAD), claim -> "done");
    await("it must be over", () -> store.find(key("old")).isEmpty());
    assertThat(claims.deleteExpired()).isEqualTo(place.deletesByItself() ? 0 : 1);
    with(o -> o.retention(Duration.ofMillis(1)))
        .run(IdempotencyRequest.of(key("old"), TEXT).fingerprint(PAYLOAD), claim -> "done");
    try (BackgroundService cleaning = claims.cleaner(Duration.ofMillis(1))) {
      cleaning.start();
      await("it must be over", () -> store.find(key("old")).isEmpty());
      await(
          "it is removed",
          () -> {
            int before = store.deleteExpired(10);
            return before == 0;
          });
    }
  }

  @Test
  void closedCleanerEndsAfterBatch() throws Exception {
    CompletableFuture<BackgroundService> started = new CompletableFuture<>();
    CompletableFuture<Thread> closed = new CompletableFuture<>();
    AtomicBoolean interrupted = new AtomicBoolean();
    faulty.fullBatches = true;
    faulty.before(
        Call.CLEAN_UP,
        count -> {
          if (count > 1) {
            throw new AssertionError("a batch after it was closed"); // or it would go on for ever
          }
          started.join().close();
          interrupted.set(Thread.currentThread().isInterrupted());
          closed.complete(Thread.currentThread());
        });

    BackgroundService cleaner = claims.cleaner(Duration.ofMillis(1));
    cleaner.start();
    started.complete(cleaner);

    Thread cleaning = closed.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
    cleaning.join(LIMIT.toMillis());
    assertThat(cleaning.isAlive()).as("it must end").isFalse();
    assertThat(faulty.count(Call.CLEAN_UP)).isEqualTo(1);
    assertThat(interrupted).as("in the middle of its batch").isFalse();
  }

  @Test
  void cleanupDuringReplaysDuplicatesNothing() {
    AtomicInteger runs = new AtomicInteger();
    ConcurrentActors.run(
            4,
            index -> {
              for (int i = 0; i < 40; i++) {
                if (index == 0) {
                  store.deleteExpired(10);
                } else {
                  String name = "x" + i;
                  IdempotencyResult<String> told =
                      with(o -> o.waitTimeout(LIMIT))
                          .run(
                              IdempotencyRequest.of(key(name), TEXT)
                                  .fingerprint(PAYLOAD)
                                  .retention(i % 2 == 0 ? DAY : Duration.ofMillis(1)),
                              c -> "" + runs.incrementAndGet());
                  assertThat(told.orElseThrow()).isNotEmpty();
                }
              }
              return null;
            })
        .resultsOrThrow();

    for (int i = 0; i < 40; i += 2) {
      assertThat(record("x" + i).attempts()).isEqualTo(1);
    }
  }
}
