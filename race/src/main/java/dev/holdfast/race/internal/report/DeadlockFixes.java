package dev.holdfast.race.internal.report;

import dev.holdfast.race.internal.model.Entry;
import dev.holdfast.race.internal.model.Finding;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** Proposes fixes for a deadlock, by the statements that wait for each other. */
final class DeadlockFixes {
  private DeadlockFixes() {}

  static List<Fix> of(Finding finding) {
    List<Fix> fixes = new ArrayList<>();
    fixes.add(inOneOrder(waiting(finding)));
    fixes.add(
        new Fix(
            "Retry the whole transaction when the database aborts it (SQLState 40P01, 40001).",
            "",
            Fixes.RETRY));
    fixes.add(new Fix("If the test accepts deadlocks:", "race.allow(SqlError.DEADLOCK)", ""));
    return fixes;
  }

  /** The statements of the circle. */
  private static List<Sql> waiting(Finding finding) {
    return DeadlockCycle.of(finding.run()).stream()
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
          "First lock the existing rows that all actors share, such as the parents, in the same"
              + " order everywhere.",
          "",
          "RowLocks.lock(tx, …)");
    }
    if (tables.size() > 1) {
      return new Fix(
          "Lock in the same order everywhere: first in "
              + String.join(", then in ", tables)
              + ", before any change.",
          "",
          "RowLocks.of("
              + String.join(").and(", tables.stream().map(DeadlockFixes::rows).toList())
              + ").lock(tx)");
    }
    String table = tables.iterator().next();
    if (waiting.size() > 1 && rows.size() == 1 && !rows.contains("")) {
      return new Fix(
          "Lock this row first: each actor already holds a shared lock when it requests the"
              + " exclusive one.",
          Words.shortened(
              "SELECT … FROM " + table + " WHERE " + rows.iterator().next() + " FOR UPDATE", 200),
          "RowLocks.lock(tx, …)");
    }
    Set<String> keys = new TreeSet<>(waiting.get(0).equalities().keySet());
    waiting.forEach(sql -> keys.retainAll(sql.equalities().keySet()));
    String key = String.join(", ", keys);
    String condition = keys.size() == 1 ? key + " IN (…)" : "…";
    return new Fix(
        "Lock all rows first, in the same order everywhere.",
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
