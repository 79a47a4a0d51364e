package dev.holdfast.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.holdfast.web.api.ProblemException;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class RequestRoomTest {
  private final RequestRoom room = new RequestRoom(100_000, Duration.ofMillis(1), 1);

  @Test
  void limitsAndReusesCapacity() {
    RequestRoom.Share first = room.share();
    first.take(60_000);
    room.share().take(60_000); // the one that goes on without
    RequestRoom.Share third = room.share();
    assertThatThrownBy(() -> third.take(60_000))
        .isInstanceOfSatisfying(
            ProblemException.class, e -> assertThat(e.problem().status()).isEqualTo(429));
    first.close();
    third.take(60_000);
  }

  @Test
  void oneOfTwoOversizedRequestsFinishes() {
    RequestRoom.Share one = room.share();
    RequestRoom.Share other = room.share();
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
    RequestRoom patient = new RequestRoom(100_000, Duration.ofDays(1), 1);
    RequestRoom.Share all = patient.share();
    all.take(100_000);
    patient.share().take(1); // the one that goes on without
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
    RequestRoom.Share all = room.share();
    all.take(1_000_000);
    RequestRoom.Share without = room.share();
    without.take(1);
    assertThatThrownBy(() -> room.share().take(1)).isInstanceOf(ProblemException.class);
    without.close();
    all.close();
    room.share().take(1);
  }
}
