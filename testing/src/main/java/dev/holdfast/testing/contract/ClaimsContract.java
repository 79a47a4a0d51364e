package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.BackgroundService;
import dev.holdfast.idempotency.Begun;
import dev.holdfast.idempotency.IdempotencyRecord.Status;
import dev.holdfast.idempotency.IncompleteRecordException;
import dev.holdfast.idempotency.KeyMismatchException;
import dev.holdfast.idempotency.OnceResult;
import dev.holdfast.idempotency.OnceResult.Executed;
import dev.holdfast.idempotency.OnceResult.Mismatch;
import dev.holdfast.idempotency.OnceResult.Replayed;
import dev.holdfast.idempotency.RefusedException;
import dev.holdfast.idempotency.ReplyCodecs;
import dev.holdfast.idempotency.ReplyTooLargeException;
import dev.holdfast.testing.Actors;
import dev.holdfast.testing.contract.FaultyIdempotencyStore.Call;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** What whoever sends a request under a claim is answered. */
public abstract class ClaimsContract extends ClaimTests {
  protected ClaimsContract(Supplier<? extends IdempotencyPlace> places) {
    super(places);
  }

  @Test
  void theSameKeyTwiceTakesEffectOnceAndIsAnsweredTheSame() {
    AtomicInteger runs = new AtomicInteger();

    OnceResult<String> first = run("x", claim -> "answer " + runs.incrementAndGet());
    OnceResult<String> second = run("x", claim -> "answer " + runs.incrementAndGet());

    assertThat(first).isEqualTo(new Executed<>("answer 1"));
    assertThat(second).isEqualTo(new Replayed<>("answer 1"));
    assertThat(second.orThrow()).isEqualTo("answer 1");
    assertThat(runs).hasValue(1);
  }

  @Test
  @SuppressWarnings("NullAway") // an answer that is null
  void answersOfNothingAreReplayed() {
    for (int i = 0; i < 2; i++) {
      OnceResult<?> told = claims.run(key("x"), PAYLOAD, ReplyCodecs.nothing(), claim -> null);
      assertThat(told.orThrow()).isNull();
      OnceResult<byte[]> bytes =
          claims.run(key("y"), PAYLOAD, ReplyCodecs.bytes(), claim -> new byte[0]);
      assertThat(bytes.orThrow()).isEmpty();
    }
  }

  @Test
  void anotherPayloadIsAMismatchAlsoWhileTheFirstIsAtWork() {
    OnceResult<String> told =
        run(
            "x",
            claim -> {
              OnceResult<String> other = claims.run(key("x"), OTHER_PAYLOAD, TEXT, c -> "no");
              assertThat(other).isInstanceOf(Mismatch.class);
              assertThatThrownBy(other::orThrow).isInstanceOf(KeyMismatchException.class);
              assertThat(claims.begin(key("x"), OTHER_PAYLOAD)).isInstanceOf(Begun.Mismatch.class);
              return "yes";
            });

    assertThat(told).isEqualTo(new Executed<>("yes"));
    assertThat(claims.run(key("x"), OTHER_PAYLOAD, TEXT, c -> "no")).isInstanceOf(Mismatch.class);
  }

  @Test
  void aFailureIsThrownAndGivesTheClaimBackAtOnce() {
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

    assertThat(status("x")).isEqualTo(Status.ABANDONED);
    OnceResult<String> told =
        run(
            "x",
            claim -> {
              assertThat(claim.attempts()).isEqualTo(2);
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
                      throw new RefusedException("not covered");
                    }))
        .isInstanceOfSatisfying(RefusedException.class, e -> assertThat(e.replayed()).isFalse());

    assertThatThrownBy(() -> run("x", claim -> "no"))
        .isInstanceOfSatisfying(
            RefusedException.class,
            e -> {
              assertThat(e.replayed()).isTrue();
              assertThat(e.reply()).isEqualTo("not covered");
            });
    assertThat(claims.begin(key("x"), PAYLOAD))
        .isInstanceOfSatisfying(
            Begun.Replayed.class,
            replayed -> {
              assertThat(replayed.refused()).isTrue();
              assertThat(replayed.reply()).isEqualTo(bytes("not covered"));
            });
  }

  @Test
  @SuppressWarnings("NullAway") // a function that may answer null
  void whichFailuresAreRefusalsIsAChoice() {
    claims =
        claims.refusals(
            e -> e instanceof IllegalStateException ? new RefusedException("sold out") : null);

    assertThatThrownBy(
            () ->
                run(
                    "x",
                    claim -> {
                      throw new IllegalStateException("none left");
                    }))
        .isInstanceOf(RefusedException.class)
        .hasCauseInstanceOf(IllegalStateException.class);
    assertThat(status("x")).isEqualTo(Status.DONE);
    assertThatThrownBy(
            () ->
                run(
                    "y",
                    claim -> {
                      throw new IllegalArgumentException("oops");
                    }))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(status("y")).isEqualTo(Status.ABANDONED);
  }

  @Test
  void aRefusalThatIsTooLargeIsAFailure() {
    claims = claims.largestReply(3);

    assertThatThrownBy(
            () ->
                run(
                    "x",
                    claim -> {
                      throw new RefusedException("more than three");
                    }))
        .isInstanceOf(ReplyTooLargeException.class);
    assertThat(status("x")).isEqualTo(Status.ABANDONED);
  }

  @Test
  void anAnswerThatIsTooLargeTookEffectAndIsNotRunAgain() {
    claims = claims.largestReply(3);

    assertThat(run("x", claim -> "1234")).isEqualTo(new Executed<>("1234"));

    assertThatThrownBy(() -> run("x", claim -> "no"))
        .isInstanceOfSatisfying(
            ReplyTooLargeException.class, e -> assertThat(e.tookEffect()).isTrue())
        .hasMessageContaining("4 bytes");
    assertThatThrownBy(() -> claims.begin(key("x"), PAYLOAD))
        .isInstanceOf(ReplyTooLargeException.class);
    assertThat(run("y", claim -> "123")).isEqualTo(new Executed<>("123"));
    assertThat(run("y", claim -> "no")).isEqualTo(new Replayed<>("123"));
  }

  @Test
  void answersInAVaultAreReplayed() {
    MemoryVault vault = new MemoryVault();
    claims = claims.largestReply(3).vault(vault);

    assertThat(run("x", claim -> "1234")).isEqualTo(new Executed<>("1234"));

    assertThat(vault.kept).hasSize(1);
    assertThat(run("x", claim -> "no")).isEqualTo(new Replayed<>("1234"));
    assertThat(claims.begin(key("x"), PAYLOAD))
        .isInstanceOfSatisfying(
            Begun.Replayed.class,
            replayed -> {
              assertThat(replayed.reply()).isEqualTo(bytes("1234"));
              assertThat(replayed.refused()).isFalse();
            });
    run("small", claim -> "123");
    assertThat(vault.kept).hasSize(1);
    assertThatThrownBy(() -> claimsOn(store).run(key("x"), PAYLOAD, TEXT, claim -> "no"))
        .isInstanceOf(IncompleteRecordException.class)
        .hasMessageContaining("vault");
  }

  @Test
  void aRecordWhoseRetentionIsOverIsNewAgain() throws Exception {
    claims = claims.retention(SHORT);
    run("x", claim -> "first");
    assertThat(run("x", claim -> "no")).isEqualTo(new Replayed<>("first"));

    await("it must be over", () -> store.find(key("x")).isEmpty());

    assertThat(run("x", claim -> "second")).isEqualTo(new Executed<>("second"));
  }

  @Test
  void recordsAreFoundForgottenAndCleanedUp() throws Exception {
    run("x", claim -> "done");
    assertThat(claims.find(key("x")).orElseThrow().status()).isEqualTo(Status.DONE);
    assertThat(claims.forget(key("x"))).isTrue();
    assertThat(claims.find(key("x"))).isEmpty();
    claims.retention(Duration.ofMillis(1)).run(key("old"), PAYLOAD, TEXT, claim -> "done");
    await("it must be over", () -> store.find(key("old")).isEmpty());
    assertThat(claims.cleanUp()).isEqualTo(place.forgetsByItself() ? 0 : 1);
    claims.retention(Duration.ofMillis(1)).run(key("old"), PAYLOAD, TEXT, claim -> "done");
    try (BackgroundService cleaning = claims.cleaner(Duration.ofMillis(1))) {
      cleaning.start();
      await("it must be over", () -> store.find(key("old")).isEmpty());
      await(
          "it is removed",
          () -> {
            int before = store.cleanUp(10);
            return before == 0;
          });
    }
  }

  @Test
  void aCleanUpThatIsClosedEndsAfterTheBatchThatItIsAt() throws Exception {
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
  void cleaningUpBesideReplaysNeverDoublesWhatIsKept() {
    AtomicInteger runs = new AtomicInteger();
    Actors.run(
            4,
            index -> {
              for (int i = 0; i < 40; i++) {
                if (index == 0) {
                  store.cleanUp(10);
                } else {
                  String name = "x" + i;
                  OnceResult<String> told =
                      claims
                          .retention(i % 2 == 0 ? DAY : Duration.ofMillis(1))
                          .waiting(LIMIT)
                          .run(key(name), PAYLOAD, TEXT, c -> "" + runs.incrementAndGet());
                  assertThat(told.orThrow()).isNotEmpty();
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
