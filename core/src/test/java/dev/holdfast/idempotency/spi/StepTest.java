package dev.holdfast.idempotency.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.idempotency.spi.IdempotencyStore.Step;
import java.io.ByteArrayOutputStream;
import java.nio.BufferUnderflowException;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class StepTest {
  private static byte[] column(Step... steps) {
    ByteArrayOutputStream column = new ByteArrayOutputStream();
    Arrays.stream(steps).map(Step::encode).forEach(column::writeBytes);
    return column.toByteArray();
  }

  @Test
  void stepsThatAreAppendedAreReadInTheirOrder() {
    Step charge = new Step("charge ☕", new byte[] {1, 0, -1});
    Step mail = new Step("mail", new byte[0]);
    Step large = new Step("large", new byte[100_000]);

    assertThat(Step.decode(column(charge, mail, large))).containsExactly(charge, mail, large);
  }

  @Test
  void firstOfDuplicateStepsCounts() {
    Step first = new Step("charge", new byte[] {1});
    Step mail = new Step("mail", new byte[] {2});

    assertThat(Step.decode(column(first, mail, new Step("charge", new byte[] {3}), mail)))
        .containsExactly(first, mail);
  }

  @Test
  void noColumnMeansNoSteps() {
    assertThat(Step.decode(null)).isEqualTo(List.of());
    assertThat(Step.decode(new byte[0])).isEmpty();
  }

  @Test
  void aColumnThatEndsInTheMiddleIsNotGuessed() {
    byte[] whole = column(new Step("charge", new byte[] {1, 2, 3}));

    assertThatThrownBy(() -> Step.decode(Arrays.copyOf(whole, whole.length - 1)))
        .isInstanceOf(BufferUnderflowException.class);
  }
}
