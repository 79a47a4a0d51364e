package dev.holdfast.internal.idempotency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.idempotency.spi.IdempotencyStore.Step;
import java.io.ByteArrayOutputStream;
import java.nio.BufferUnderflowException;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class StepCodecTest {
  private static byte[] column(Step... steps) {
    ByteArrayOutputStream column = new ByteArrayOutputStream();
    Arrays.stream(steps).map(StepCodec::write).forEach(column::writeBytes);
    return column.toByteArray();
  }

  @Test
  void stepsThatAreAppendedAreReadInTheirOrder() {
    Step charge = new Step("charge ☕", new byte[] {1, 0, -1});
    Step mail = new Step("mail", new byte[0]);
    Step large = new Step("large", new byte[100_000]);

    assertThat(StepCodec.read(column(charge, mail, large))).containsExactly(charge, mail, large);
  }

  @Test
  void firstOfDuplicateStepsCounts() {
    Step first = new Step("charge", new byte[] {1});
    Step mail = new Step("mail", new byte[] {2});

    assertThat(StepCodec.read(column(first, mail, new Step("charge", new byte[] {3}), mail)))
        .containsExactly(first, mail);
  }

  @Test
  void noColumnMeansNoSteps() {
    assertThat(StepCodec.read(null)).isEqualTo(List.of());
    assertThat(StepCodec.read(new byte[0])).isEmpty();
  }

  @Test
  void aColumnThatEndsInTheMiddleIsNotGuessed() {
    byte[] whole = column(new Step("charge", new byte[] {1, 2, 3}));

    assertThatThrownBy(() -> StepCodec.read(Arrays.copyOf(whole, whole.length - 1)))
        .isInstanceOf(BufferUnderflowException.class);
  }
}
