package dev.holdfast.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.holdfast.InvalidArgumentException;
import dev.holdfast.transaction.RetriesExhaustedException.Reason;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** How often and how long the retry runner tries, and what it says when it gives up. */
class RetryingTest extends Conflicting {
  @Test
  void theFirstSuccessEndsIt() {
    String answer =
        retrying(5)
            .call(
                tx -> {
                  if (tx.attempt() < 3) {
                    throw new Conflict(tx.attempt());
                  }
                  return "done in " + tx.attempt();
                });

    assertThat(answer).isEqualTo("done in 3");
    assertThat(time.pauses).hasSize(2);
  }

  @Test
  void keepsAllCausesWhenExhausted() {
    RetriesExhaustedException givenUp = givenUp(retrying(4).named("checkout"));

    assertThat(runs).hasValue(4);
    assertThat(givenUp.reason()).isEqualTo(Reason.ATTEMPTS);
    assertThat(givenUp.attempts()).isEqualTo(4);
    assertThat(givenUp.name()).isEqualTo("checkout");
    assertThat(givenUp.elapsed()).isEqualTo(time.elapsed());
    assertThat(givenUp.isRetryable()).as("by an outer runner").isFalse();
    assertThat(givenUp.code()).isEqualTo("retries-exhausted");
    assertThat(givenUp).hasMessageContainingAll("checkout", "4 attempts", "conflict 4");
    assertThat(givenUp.failures())
        .extracting(Throwable::getMessage)
        .containsExactly("conflict 1", "conflict 2", "conflict 3", "conflict 4");
    assertThat(givenUp).hasCause(givenUp.failures().get(3));
    assertThat(givenUp.getSuppressed()).containsExactlyElementsOf(givenUp.failures().subList(0, 3));
  }

  @Test
  void doesNotWaitAfterTheLastAttempt() {
    givenUp(retrying(1));

    assertThat(runs).hasValue(1);
    assertThat(time.pauses).isEmpty();
  }

  @Test
  void beginsNoAttemptAfterTheDeadline() {
    for (int round = 0; round < 50; round++) {
      FakeTime clock = new FakeTime();
      List<Duration> begun = new ArrayList<>();
      RetriesExhaustedException givenUp =
          catchThrowableOfType(
              RetriesExhaustedException.class,
              () ->
                  transactions
                      .retrying(1000)
                      .waitingWith(clock)
                      .within(Duration.ofSeconds(1))
                      .backoff(Duration.ofMillis(100), Duration.ofMillis(400))
                      .run(
                          tx -> {
                            begun.add(clock.elapsed());
                            clock.pass(Duration.ofMillis(90));
                            throw new Conflict(tx.attempt());
                          }));

      assertThat(givenUp.reason()).isEqualTo(Reason.DEADLINE);
      assertThat(begun).hasSizeBetween(2, 12).allMatch(at -> at.toMillis() <= 1000);
      assertThat(clock.elapsed()).isLessThanOrEqualTo(Duration.ofMillis(1090));
    }
  }

  @Test
  void attemptPastDeadlineIsLast() {
    RetriesExhaustedException givenUp =
        catchThrowableOfType(
            RetriesExhaustedException.class,
            () ->
                retrying(5)
                    .within(Duration.ofSeconds(1))
                    .run(
                        tx -> {
                          time.pass(Duration.ofSeconds(2));
                          throw new Conflict(tx.attempt());
                        }));

    assertThat(givenUp.attempts()).isEqualTo(1);
    assertThat(givenUp.reason()).isEqualTo(Reason.DEADLINE);
  }

  @Test
  void jitterIsBoundedAndDoubles() {
    Duration base = Duration.ofMillis(10);
    Duration cap = Duration.ofMillis(200);
    double widest = 0;
    for (int round = 0; round < 60; round++) {
      FakeTime clock = new FakeTime();
      runs.set(0);
      givenUp(transactions.retrying(8).backoff(base, cap).waitingWith(clock));

      assertThat(clock.pauses).hasSize(7);
      for (int i = 0; i < clock.pauses.size(); i++) {
        long bound = Math.min(cap.toNanos(), base.toNanos() << i);
        assertThat(clock.pauses.get(i).toNanos()).isBetween(0L, bound);
        widest = Math.max(widest, (double) clock.pauses.get(i).toNanos() / bound);
      }
    }
    assertThat(widest).as("the whole range is used").isGreaterThan(0.9);
  }

  @Test
  void anInterruptStopsItAndIsKept() {
    RetriesExhaustedException givenUp =
        catchThrowableOfType(
            RetriesExhaustedException.class,
            () ->
                retrying(5)
                    .run(
                        tx -> {
                          runs.incrementAndGet();
                          Thread.currentThread().interrupt();
                          throw new Conflict(tx.attempt());
                        }));

    assertThat(Thread.interrupted()).as("interrupt flag").isTrue();
    assertThat(runs).hasValue(1);
    assertThat(givenUp.reason()).isEqualTo(Reason.INTERRUPTED);
    assertThat(givenUp.failures()).hasSize(1);
  }

  @Test
  void interruptStopsWithoutDelay() {
    Retrying impatient = transactions.retrying(5).backoff(Duration.ZERO, Duration.ZERO);
    Thread.currentThread().interrupt();

    RetriesExhaustedException givenUp = givenUp(impatient);

    assertThat(Thread.interrupted()).as("interrupt flag").isTrue();
    assertThat(givenUp.reason()).isEqualTo(Reason.INTERRUPTED);
    assertThat(givenUp.attempts()).isEqualTo(1);
  }

  @Test
  void theListenerHearsOfEveryAttempt() {
    List<String> heard = new ArrayList<>();
    Transactions heardBy =
        transactions.listener(
            new ConflictListener() {
              @Override
              public void attempted(GuardKind kind, String guard, boolean conflict) {
                heard.add(guard + (conflict ? " conflict" : " done"));
              }

              @Override
              public void retrying(GuardKind kind, String guard) {
                heard.add(guard + " again");
              }
            });

    heardBy
        .retrying(3)
        .named("checkout")
        .waitingWith(time)
        .run(
            tx -> {
              if (tx.attempt() == 1) {
                throw new Conflict(1);
              }
            });
    givenUp(heardBy.retrying(1).named("stock"));

    assertThat(heard)
        .containsExactly("checkout conflict", "checkout again", "checkout done", "stock conflict");
  }

  @Test
  void refusesWhatMakesNoSense() {
    assertThatThrownBy(() -> transactions.retrying(0)).isInstanceOf(InvalidArgumentException.class);
    assertThatThrownBy(() -> transactions.retrying(1001)).hasMessageContaining("from 1 to 1000");
    assertThatThrownBy(() -> retrying(1).named(" ")).hasMessageContaining("name");
    assertThatThrownBy(() -> retrying(1).within(Duration.ZERO)).hasMessageContaining("deadline");
    assertThatThrownBy(() -> retrying(1).backoff(Duration.ofMillis(-1), Duration.ZERO))
        .hasMessageContaining("base");
    assertThatThrownBy(() -> retrying(1).backoff(Duration.ofSeconds(1), Duration.ofMillis(1)))
        .hasMessageContaining("cap must be from PT1S");
  }

  @Test
  void keepsFailuresWhenSerialized() throws Exception {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(givenUp(retrying(2)));
    }
    try (ObjectInputStream in =
        new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
      RetriesExhaustedException received = (RetriesExhaustedException) in.readObject();
      assertThat(received.attempts()).isEqualTo(2);
      assertThat(received.failures()).hasSize(2);
    }
  }
}
