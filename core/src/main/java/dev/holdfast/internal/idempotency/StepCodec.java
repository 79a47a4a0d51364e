package dev.holdfast.internal.idempotency;

import dev.holdfast.idempotency.spi.IdempotencyStore.Step;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Encodes steps as the bytes of a column, to which further ones are appended: the length of the
 * name, the name, the length of the value, the value. A step that was appended twice, because the
 * first response was lost, counts once.
 */
public final class StepCodec {
  private StepCodec() {}

  public static byte[] write(Step step) {
    byte[] name = step.name().getBytes(StandardCharsets.UTF_8);
    return ByteBuffer.allocate(8 + name.length + step.value().length)
        .putInt(name.length)
        .put(name)
        .putInt(step.value().length)
        .put(step.value())
        .array();
  }

  public static List<Step> read(byte @Nullable [] column) {
    if (column == null) {
      return List.of();
    }
    Map<String, Step> steps = new LinkedHashMap<>();
    ByteBuffer buffer = ByteBuffer.wrap(column);
    while (buffer.hasRemaining()) {
      String name = new String(next(buffer), StandardCharsets.UTF_8);
      steps.putIfAbsent(name, new Step(name, next(buffer)));
    }
    return new ArrayList<>(steps.values());
  }

  private static byte[] next(ByteBuffer buffer) {
    byte[] bytes = new byte[buffer.getInt()];
    buffer.get(bytes);
    return bytes;
  }
}
