package dev.holdfast.race.internal.judge;

import dev.holdfast.race.internal.model.ActorEnd;
import dev.holdfast.race.internal.model.Cell;
import dev.holdfast.race.internal.model.Outcome;
import dev.holdfast.race.internal.model.TableContent;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.IntStream;

/** Finds the columns by which two outcomes differ that should be equal. */
final class DifferingColumns {
  private final CanonicalOutcome canon;
  private final List<String> actors;

  DifferingColumns(CanonicalOutcome canon, List<String> actors) {
    this.canon = canon;
    this.actors = actors;
  }

  Set<String> between(Outcome one, Outcome other) {
    if (same(canon, one, other)) {
      return Set.of();
    }
    Set<String> all = suspects(one, other, /* evenIfAlike= */ true);
    Set<String> differing = suspects(one, other, /* evenIfAlike= */ false);
    if (!explain(differing, one, other)) {
      return all.stream()
          .map(suspect -> plus(differing, suspect))
          .filter(more -> explain(more, one, other))
          .findFirst()
          .orElse(Set.of());
    }
    return fewest(differing, one, other);
  }

  private Set<String> fewest(Set<String> enough, Outcome one, Outcome other) {
    Set<String> fewest = new LinkedHashSet<>(enough);
    for (String suspect : enough) {
      Set<String> fewer = new LinkedHashSet<>(fewest);
      fewer.remove(suspect);
      if (explain(fewer, one, other)) {
        fewest = fewer;
      }
    }
    return fewest;
  }

  private boolean explain(Set<String> differing, Outcome one, Outcome other) {
    return same(canon.masking(differing), one, other);
  }

  private static boolean same(CanonicalOutcome canon, Outcome one, Outcome other) {
    return canon.of(one).equals(canon.of(other));
  }

  private static Set<String> plus(Set<String> some, String one) {
    Set<String> sum = new LinkedHashSet<>(some);
    sum.add(one);
    return sum;
  }

  private Set<String> suspects(Outcome one, Outcome other, boolean evenIfAlike) {
    Set<String> suspects = new LinkedHashSet<>();
    for (TableContent table : one.tables()) {
      other.tables().stream()
          .filter(t -> t.table().equals(table.table()) && t.columns().equals(table.columns()))
          .forEach(
              twin ->
                  IntStream.range(0, table.columns().size())
                      .filter(i -> evenIfAlike || !values(table, i).equals(values(twin, i)))
                      .forEach(i -> suspects.add(table.table() + "." + table.columns().get(i))));
    }
    for (int actor = 0; actor < Math.min(actors.size(), one.ends().size()); actor++) {
      ActorEnd first = one.ends().get(actor);
      ActorEnd second = other.ends().get(actor);
      boolean returned = first.error() == null && second.error() == null;
      if (returned && (evenIfAlike || !Objects.equals(first.result(), second.result()))) {
        suspects.add(canon.resultOf(actor));
      }
    }
    return suspects;
  }

  private static List<String> values(TableContent table, int column) {
    List<String> values = new ArrayList<>();
    for (List<Cell> row : table.rows()) {
      values.add(row.get(column).toString());
    }
    Collections.sort(values);
    return values;
  }
}
