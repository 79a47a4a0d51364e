package dev.holdfast.race.internal.report;

import dev.holdfast.race.internal.model.Entry;
import dev.holdfast.race.internal.model.StepKind;
import dev.holdfast.race.internal.model.StepResult.RowRead;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * A statement that succeeded, or an effect, and what became of it.
 *
 * @param seen the moment whose state it has seen, in numbers of entries
 * @param made the moment at which it was made: later than its number if it had to wait
 * @param committed the number of the entry by which others see it; 0 for never
 * @param discarded whether its transaction failed, so that nothing came of what it had read
 */
record PerformedStep(
    Entry entry, Sql sql, double seen, double made, int committed, boolean discarded) {

  int number() {
    return entry.number();
  }

  int actor() {
    return entry.actor();
  }

  boolean isEffect() {
    return entry.step().kind() == StepKind.EFFECT;
  }

  boolean reads() {
    return !sql.reads().isEmpty() && !discarded;
  }

  /** Whether it has lastingly changed something. */
  boolean changes() {
    return isEffect()
        || (committed > 0
            && !sql.writes().isEmpty()
            && (entry.result().updated() > 0 || entry.result().isQuery()));
  }

  boolean changesWhat(PerformedStep read) {
    return changes() && !Collections.disjoint(sql.writes(), read.sql.reads());
  }

  boolean changesTheTableOf(PerformedStep other) {
    return !Collections.disjoint(sql.writes(), other.sql.writes());
  }

  boolean inserts() {
    return sql.verb().equals("insert");
  }

  /** Whether both say the same of other rows: {@code WHERE id = 1} and {@code WHERE id = 2}. */
  boolean sameOfOtherRows(PerformedStep other) {
    return !inserts()
        && !other.inserts()
        && !sql.where().equals(other.sql.where())
        && sql.unboundWhere().equals(other.sql.unboundWhere());
  }

  boolean sameTransaction(PerformedStep other) {
    return actor() == other.actor()
        && entry.life() == other.entry.life()
        && entry.step().transaction() == other.entry.step().transaction();
  }

  /** A table that both name, for a sentence. */
  String tableChangedBy(PerformedStep change) {
    Set<String> tables = sql.reads();
    return change.sql.writes().stream().filter(tables::contains).findFirst().orElse("");
  }

  /** What the code has read, in a few words: {@code used = 0}. */
  String values() {
    List<RowRead> rows = entry.result().rows();
    if (!entry.result().isQuery()) {
      return "";
    }
    if (rows.isEmpty()) {
      return "no row";
    }
    if (entry.result().rowCount() > 1) {
      return entry.result().rowCount() + " rows";
    }
    RowRead row = rows.get(0);
    List<String> values =
        IntStream.range(0, Math.min(3, row.values().size()))
            .mapToObj(i -> row.labels().get(i) + " = " + Words.shortened(row.values().get(i), 40))
            .toList();
    return values.isEmpty() ? "1 row" : String.join(", ", values);
  }
}
