package dev.holdfast.race.internal.explore;

import dev.holdfast.race.internal.model.Outcome;
import dev.holdfast.race.internal.model.TableContent;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;

/** Whether anything is left to compare. */
final class ComparisonScope {
  private ComparisonScope() {}

  /**
   * Whether every column that is changed is one that is not compared.
   *
   * @param masked {@code table.column}
   * @param given what the setup has left in the tables
   */
  static boolean all(Set<String> masked, Outcome given, List<Attempt> attempts) {
    Set<String> changed = new TreeSet<>();
    for (Attempt attempt : attempts) {
      Outcome outcome = attempt.record().outcome();
      for (TableContent table : outcome == null ? List.<TableContent>of() : outcome.tables()) {
        for (TableContent before : given.tables()) {
          if (before.table().equals(table.table())) {
            if (before.rows().size() != table.rows().size()) {
              // how many there are is compared
              return false;
            }
            addChanged(before, table, changed);
          }
        }
      }
    }
    return !changed.isEmpty() && masked.containsAll(changed);
  }

  private static void addChanged(TableContent before, TableContent after, Set<String> changed) {
    IntStream.range(0, Math.min(before.columns().size(), after.columns().size()))
        .filter(column -> !values(before, column).equals(values(after, column)))
        .forEach(column -> changed.add(after.table() + "." + after.columns().get(column)));
  }

  private static List<String> values(TableContent table, int column) {
    return table.rows().stream().map(row -> row.get(column).toString()).sorted().toList();
  }
}
