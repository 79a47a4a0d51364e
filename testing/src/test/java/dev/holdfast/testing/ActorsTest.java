package dev.holdfast.testing;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class ActorsTest {

  @Test
  void resultsComeInTheOrderOfTheActors() {
    CyclicBarrier together = new CyclicBarrier(16);

    ActorResults<Integer> outcomes =
        ConcurrentActors.run(
            16,
            index -> {
              together.await(10, SECONDS);
              return index;
            });

    assertThat(outcomes.resultsOrThrow())
        .containsExactly(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    assertThat(outcomes.failures()).isEmpty();
  }

  @Test
  void actorsOfDifferentKindsRunAtTheSameTime() {
    CountDownLatch asked = new CountDownLatch(1);
    CountDownLatch answered = new CountDownLatch(1);
    Callable<String> asks =
        () -> {
          asked.countDown();
          return answered.await(10, SECONDS) ? "got an answer" : "got none";
        };
    Callable<String> answers =
        () -> {
          boolean heard = asked.await(10, SECONDS);
          answered.countDown();
          return heard ? "answered" : "heard nothing";
        };

    assertThat(ConcurrentActors.run(List.of(asks, answers)).resultsOrThrow())
        .containsExactly("got an answer", "answered");
  }

  @Test
  void failuresAreKeptApartFromResults() {
    ActorResults<Integer> outcomes = ConcurrentActors.run(4, ActorsTest::failsIfOdd);

    assertThat(outcomes.results()).containsExactly(0, 2);
    assertThat(outcomes.failures())
        .extracting(Throwable::getMessage)
        .containsExactly("actor 1 is odd", "actor 3 is odd");
  }

  @Test
  void orElseThrowReportsEveryFailure() {
    ActorResults<Integer> outcomes = ConcurrentActors.run(4, ActorsTest::failsIfOdd);

    assertThatThrownBy(outcomes::resultsOrThrow)
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("2 of 4 actors failed")
        .hasMessageContaining("actor 1 is odd")
        .satisfies(
            error ->
                assertThat(error.getSuppressed())
                    .extracting(Throwable::getMessage)
                    .containsExactly("actor 1 is odd", "actor 3 is odd"));
  }

  @Test
  void anErrorIsAFailureToo() {
    AssertionError error = new AssertionError("two winners");

    ActorResults<Object> outcomes =
        ConcurrentActors.run(
            1,
            index -> {
              throw error;
            });

    assertThat(outcomes.failures()).containsExactly(error);
  }

  @Test
  void hangingActorFailsRunWithStack() {
    CountDownLatch never = new CountDownLatch(1);
    AtomicBoolean interrupted = new AtomicBoolean();
    CountDownLatch released = new CountDownLatch(1);
    Callable<String> waits =
        () -> {
          try {
            never.await();
          } catch (InterruptedException e) {
            interrupted.set(true);
          } finally {
            released.countDown();
          }
          return "never";
        };
    Callable<String> fails =
        () -> {
          throw new IllegalStateException("out of stock");
        };

    assertThatThrownBy(
            () -> ConcurrentActors.run(Duration.ofMillis(200), List.of(() -> "done", waits, fails)))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("1 of 3 actors have not ended within PT0.2S")
        .hasMessageContaining("actor-1 WAITING on java.util.concurrent.CountDownLatch")
        .hasMessageContaining(ActorsTest.class.getName() + ".lambda")
        .satisfies(
            error ->
                assertThat(error.getSuppressed())
                    .extracting(Throwable::getMessage)
                    .containsExactly("out of stock"));
    assertThat(await(released)).isTrue();
    assertThat(interrupted).isTrue();
  }

  @Test
  void emptyRunEndsAtOnce() {
    assertThat(ConcurrentActors.run(0, index -> index).resultsOrThrow()).isEmpty();
  }

  private static int failsIfOdd(int index) {
    if (index % 2 == 1) {
      throw new IllegalArgumentException("actor " + index + " is odd");
    }
    return index;
  }

  private static boolean await(CountDownLatch latch) {
    try {
      return latch.await(10, SECONDS);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
