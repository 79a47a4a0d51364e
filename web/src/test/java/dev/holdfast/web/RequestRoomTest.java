package dev.holdfast.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.web.api.ProblemException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class RequestRoomTest {
  private final RequestRoom room = new RequestRoom(100_000, Duration.ofMillis(1));

  @Test
  void thereIsRoomForSoMuchAtOnceAndAgainWhenItIsGivenBack() {
    int first = room.take(60_000);
    assertThatThrownBy(() -> room.take(60_000))
        .isInstanceOfSatisfying(
            ProblemException.class, e -> assertThat(e.problem().status()).isEqualTo(429));
    room.giveBack(first);
    assertThat(room.take(60_000)).isEqualTo(first);
  }

  @Test
  void whatIsLargerThanAllRoomGoesAlone() {
    int all = room.take(1_000_000);
    assertThatThrownBy(() -> room.take(1)).isInstanceOf(ProblemException.class);
    room.giveBack(all);
    room.take(1);
  }
}
