package dev.holdfast.race.internal.run;

import dev.holdfast.race.internal.model.Cell;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** What an actor has returned, as a value that can be compared. */
final class ResultValue {
  private static final Cell NOTHING = new Cell(Cell.Kind.OTHER, "");

  private ResultValue() {}

  static Cell cell(@Nullable Object value, boolean compared) {
    if (!compared) {
      return NOTHING;
    }
    if (value == null) {
      return Cell.NULL;
    }
    if (value instanceof Number) {
      return new Cell(Cell.Kind.NUMBER, value.toString());
    }
    if (value instanceof UUID) {
      return new Cell(Cell.Kind.UUID, value.toString());
    }
    if (value instanceof java.time.temporal.Temporal || value instanceof java.util.Date) {
      return new Cell(Cell.Kind.TIME, value.toString());
    }
    return new Cell(Cell.Kind.TEXT, value.toString());
  }
}
