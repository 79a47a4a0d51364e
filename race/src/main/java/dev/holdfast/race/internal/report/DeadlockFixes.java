package dev.holdfast.race.internal.report;

import dev.holdfast.race.internal.model.Entry;
import dev.holdfast.race.internal.model.Finding;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** Proposes how to mend a deadlock, by the statements that wait for each other. */
final class DeadlockFixes {
  private DeadlockFixes() {}

  static List<Fix> of(Finding finding) {
    List<Fix> fixes = new ArrayList<>();
    fixes.add(inOneOrder(waiting(finding)));
    fixes.add(
        new Fix(
            "Run the whole transaction again when the database ends it (SQLState 40P01, 40001).",
            "",
            Fixes.RETRY));
    fixes.add(new Fix("If the test means to allow it:", "race.allow(SqlError.DEADLOCK)", ""));
    return fixes;
  }

  /** The statements of the circle. */
  private static List<Sql> waiting(Finding finding) {
    return Circle.of(finding.run()).stream()
        .flatMap(deadlock -> deadlock.entries().stream())
        .flatMap(number -> finding.run().entries().stream().filter(e -> e.number() == number))
        .map(Entry::step)
        .map(Sql::of)
        .toList();
  }

  private static Fix inOneOrder(List<Sql> waiting) {
    Set<String> tables = new TreeSet<>();
    Set<String> rows = new HashSet<>();
    waiting.forEach(sql -> tables.addAll(tables(sql)));
    waiting.forEach(sql -> rows.add(sql.where()));
    if (tables.isEmpty() || waiting.stream().anyMatch(sql -> sql.verb().equals("insert"))) {
      return new Fix(
          "Before anything else, lock the rows that are there and that all have in common, such as"
              + " the parents, in one order for everybody.",
          "",
          "RowLocks.lock(tx, …)");
    }
    if (tables.size() > 1) {
      return new Fix(
          "Lock in one order for everybody: first in "
              + String.join(", then in ", tables)
              + ", before anything is changed.",
          "",
          "RowLocks.of("
              + String.join(").and(", tables.stream().map(DeadlockFixes::rows).toList())
              + ").lock(tx)");
    }
    String table = tables.iterator().next();
    if (waiting.size() > 1 && rows.size() == 1 && !rows.contains("")) {
      return new Fix(
          "Lock this row before anything else: each has a part of the lock already when it wants"
              + " all of it.",
          Words.shortened(
              "SELECT … FROM " + table + " WHERE " + rows.iterator().next() + " FOR UPDATE", 200),
          "RowLocks.lock(tx, …)");
    }
    Set<String> keys = new TreeSet<>(waiting.get(0).equalities().keySet());
    waiting.forEach(sql -> keys.retainAll(sql.equalities().keySet()));
    String key = String.join(", ", keys);
    String condition = keys.size() == 1 ? key + " IN (…)" : "…";
    return new Fix(
        "Lock all rows first, in one order for everybody.",
        "SELECT … FROM "
            + table
            + " WHERE "
            + condition
            + " ORDER BY "
            + (key.isEmpty() ? "…" : key)
            + " FOR UPDATE",
        keys.size() == 1 && !key.equals("id")
            ? "RowLocks.of(\"" + table + "\", \"" + key + "\", List.of(…)).lock(tx)"
            : "RowLocks.lock(tx, " + rows(table) + ")");
  }

  private static String rows(String table) {
    return "\"" + table + "\", List.of(…)";
  }

  private static Set<String> tables(Sql sql) {
    return sql.writes().isEmpty() ? sql.reads() : sql.writes();
  }
}
