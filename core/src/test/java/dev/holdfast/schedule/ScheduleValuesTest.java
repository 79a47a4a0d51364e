package dev.holdfast.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.InvalidArgumentException;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The text forms of policies and fires. */
class ScheduleValuesTest {
  @Test
  void policiesReadWhatTheyWrite() {
    for (MisfirePolicy missed :
        List.of(MisfirePolicy.skip(), MisfirePolicy.fireOnce(), MisfirePolicy.catchUp(1000))) {
      assertThat(MisfirePolicy.parse(missed.toString())).isEqualTo(missed);
    }
    assertThatThrownBy(() -> MisfirePolicy.parse("catch up 0"))
        .isInstanceOf(InvalidArgumentException.class)
        .hasMessageContaining("catch up 0");
  }

  @Test
  void aFireIsReadFromItsKey() {
    ScheduleFire fire = new ScheduleFire("birthday/42", Instant.parse("2024-03-25T12:00:00Z"));

    assertThat(fire.key()).isEqualTo("schedule/birthday/42/2024-03-25T12:00:00Z");
    assertThat(ScheduleFire.ofKey(fire.key())).contains(fire);
    for (String other :
        List.of(
            "",
            "schedule/",
            "schedule/x",
            "schedule//2024-03-25T12:00:00Z",
            "x/y",
            "schedule/x/y")) {
      assertThat(ScheduleFire.ofKey(other)).as(other).isEmpty();
    }
  }
}
