package dev.holdfast.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.holdfast.servlet.ProblemException;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class BodyMemoryTest {
  private final BodyMemory memory = new BodyMemory(100_000, Duration.ofMillis(1), 1);

  @Test
  void limitsAndReusesCapacity() {
    BodyMemory.Share first = memory.share();
    first.take(60_000);
    memory.share().take(60_000); // the one that continues without memory
    BodyMemory.Share third = memory.share();
    assertThatThrownBy(() -> third.take(60_000))
        .isInstanceOfSatisfying(
            ProblemException.class, e -> assertThat(e.problem().status()).isEqualTo(429));
    first.close();
    third.take(60_000);
  }

  @Test
  void oneOfTwoOversizedRequestsFinishes() {
    BodyMemory.Share one = memory.share();
    BodyMemory.Share other = memory.share();
    one.take(40_000);
    other.take(40_000);
    one.take(40_000);
    assertThatThrownBy(() -> other.take(40_000)).isInstanceOf(ProblemException.class);
    one.close();
    other.take(40_000);
  }

  /** They would hold threads that small requests need. */
  @Test
  @Timeout(60)
  void whereTooManyWaitTheNextIsRefusedAtOnce() throws Exception {
    BodyMemory patient = new BodyMemory(100_000, Duration.ofDays(1), 1);
    BodyMemory.Share all = patient.share();
    all.take(100_000);
    patient.share().take(1); // the one that continues without memory
    Thread waiting = new Thread(() -> patient.share().take(1), "waiting");
    waiting.start();
    await().until(() -> waiting.getState() == Thread.State.TIMED_WAITING);

    assertThatThrownBy(() -> patient.share().take(1)).isInstanceOf(ProblemException.class);

    all.close();
    waiting.join();
    patient.share().take(1);
  }

  @Test
  void whatIsLargerThanAllRoomGoesAlone() {
    BodyMemory.Share all = memory.share();
    all.take(1_000_000);
    BodyMemory.Share without = memory.share();
    without.take(1);
    assertThatThrownBy(() -> memory.share().take(1)).isInstanceOf(ProblemException.class);
    without.close();
    all.close();
    memory.share().take(1);
  }
}
