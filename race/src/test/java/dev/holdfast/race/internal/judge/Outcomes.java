package dev.holdfast.race.internal.judge;

import dev.holdfast.race.internal.model.ActorEnd;
import dev.holdfast.race.internal.model.Cell;
import dev.holdfast.race.internal.model.Outcome;
import dev.holdfast.race.internal.model.TableContent;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Outcomes, written down. */
final class Outcomes {
  private final List<ActorEnd> ends = new ArrayList<>();
  private final List<TableContent> tables = new ArrayList<>();
  private final List<Outcome.Effect> effects = new ArrayList<>();

  /** A table, its columns with blanks between. */
  Outcomes table(String name, String columns, List<?>... rows) {
    List<List<Cell>> cells = new ArrayList<>();
    for (List<?> row : rows) {
      cells.add(row.stream().map(Outcomes::cell).toList());
    }
    tables.add(new TableContent(name, List.of(columns.split(" ", -1)), cells));
    return this;
  }

  Outcomes returned(Object... results) {
    Arrays.stream(results).forEach(result -> ends.add(new ActorEnd(cell(result), null, -1)));
    return this;
  }

  Outcomes threw(Throwable error) {
    ends.add(new ActorEnd(Cell.NULL, error, 0));
    return this;
  }

  Outcomes effect(int actor, String name) {
    effects.add(new Outcome.Effect(actor, name));
    return this;
  }

  Outcome made() {
    return new Outcome(List.copyOf(ends), List.copyOf(tables), List.copyOf(effects));
  }

  static Cell cell(@Nullable Object value) {
    if (value == null || "NULL".equals(value)) {
      return Cell.NULL;
    }
    Cell.Kind kind =
        value instanceof Number
            ? Cell.Kind.NUMBER
            : value instanceof UUID
                ? Cell.Kind.UUID
                : value instanceof Instant ? Cell.Kind.TIME : Cell.Kind.TEXT;
    return new Cell(kind, value.toString());
  }
}
