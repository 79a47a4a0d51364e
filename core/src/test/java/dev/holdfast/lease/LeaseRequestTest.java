package dev.holdfast.lease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.InvalidArgumentException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class LeaseRequestTest {
  private static final Duration MINUTE = Duration.ofMinutes(1);

  @Test
  void waitsThirtySecondsAndHasNoOptions() {
    LeaseRequest request = LeaseRequest.of("x", MINUTE);

    assertThat(request.key()).isEqualTo(LeaseKey.exclusive("x"));
    assertThat(request.duration()).isEqualTo(MINUTE);
    assertThat(request.waitTimeout()).isEqualTo(Duration.ofSeconds(30));
    assertThat(request.isAutoRenew()).isFalse();
    assertThat(request.isFair()).isFalse();
    assertThat(request.isReentrant()).isFalse();
    assertThat(request.isAllowedInTransaction()).isFalse();
  }

  @Test
  void optionsReturnCopiesAndKeepTheOthers() {
    LeaseRequest plain = LeaseRequest.of("x", MINUTE);
    LeaseRequest all =
        plain.autoRenew().fair().reentrant().allowInTransaction().waitTimeout(Duration.ZERO);

    assertThat(plain).isEqualTo(LeaseRequest.of("x", MINUTE)).isNotEqualTo(all);
    assertThat(all)
        .isEqualTo(
            plain.waitTimeout(Duration.ZERO).allowInTransaction().reentrant().fair().autoRenew())
        .hasSameHashCodeAs(
            plain.waitTimeout(Duration.ZERO).allowInTransaction().reentrant().fair().autoRenew());
    assertThat(all.isAutoRenew() && all.isFair() && all.isReentrant()).isTrue();
    assertThat(all.isAllowedInTransaction()).isTrue();
    assertThat(all.waitTimeout()).isZero();
    assertThat(all.duration()).isEqualTo(MINUTE);
  }

  @Test
  void namesItsTarget() {
    assertThat(
            List.of(
                LeaseRequest.of("x", MINUTE),
                LeaseRequest.read("x", MINUTE),
                LeaseRequest.write("x", MINUTE),
                LeaseRequest.permits("x", 2, 3, MINUTE)))
        .extracting(LeaseRequest::toString)
        .containsExactly(
            "'x' for PT1M",
            "read read/write 'x' for PT1M",
            "write read/write 'x' for PT1M",
            "2 of 3 of semaphore 'x' for PT1M");
  }

  @Test
  void rejectsTimesOutOfRange() {
    assertThatThrownBy(() -> LeaseRequest.of("x", Duration.ofMillis(99)))
        .isInstanceOf(InvalidArgumentException.class)
        .hasMessageContaining("'x'");
    assertThatThrownBy(() -> LeaseRequest.of("x", MINUTE).waitTimeout(Duration.ofHours(25)))
        .isInstanceOf(InvalidArgumentException.class);
  }
}
