package dev.holdfast.race.internal.report;

import dev.holdfast.race.internal.model.Entry;
import dev.holdfast.race.internal.model.Finding;
import dev.holdfast.race.internal.model.StepKind;
import dev.holdfast.race.internal.model.StepResult.RowRead;
import dev.holdfast.sql.Isolation;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Proposes how to mend a conflict, by the statements that take part in it. */
final class ConflictFixes {
  private static final int MOST = 3;

  private final Conflict conflict;
  private final Finding finding;
  private final List<String> reads;
  private final List<Fix> fixes = new ArrayList<>();

  /**
   * @param reads the numbers of the entries that read what was changed
   */
  ConflictFixes(Conflict conflict, Finding finding, List<Integer> reads) {
    this.conflict = conflict;
    this.reads = reads.stream().map(String::valueOf).toList();
    this.finding = finding;
  }

  List<Fix> all() {
    ignoredCount().ifPresent(fixes::add);
    switch (conflict.pattern()) {
      case LOST_UPDATE -> {
        addRelative();
        addLock();
        addVersion();
      }
      case DOUBLE_SPEND -> {
        addCondition();
        addUnique();
        addLock();
      }
      case WRITE_SKEW -> {
        addLock();
        addSerializable();
      }
      case INCONSISTENT_READ -> {
        fixes.add(new Fix("Read once and keep it, or read all in one statement.", "", ""));
        fixes.add(
            new Fix(
                "Do both reads in one transaction that keeps what it saw first.",
                "",
                "transactions.isolation(Isolation.REPEATABLE_READ).retrying(5).run(tx -> …)"));
        addLock();
      }
      case DIRTY_DECISION -> {
        addLock();
        addVersion();
        addSerializable();
      }
    }
    return fixes.stream().limit(MOST).toList();
  }

  /** A change of no rows, because another was first, after which its actor went on all the same. */
  private Optional<Fix> ignoredCount() {
    return finding.run().entries().stream()
        .filter(e -> e.actor() == conflict.act().actor() && e.result().updated() == 0)
        .filter(e -> e.number() > conflict.read().number())
        .filter(e -> e.number() < conflict.act().number())
        .filter(this::cameTooLate)
        .map(Entry::number)
        .findFirst()
        .map(
            number ->
                new Fix(
                    "Look at the row count of step "
                        + number
                        + ": it changed 0 rows, because another was first, and the code went on.",
                    "",
                    "Conditional…apply(tx).changed()"));
  }

  private boolean cameTooLate(Entry entry) {
    Sql sql = Sql.of(entry.step());
    return finding.run().entries().stream()
        .filter(e -> e.actor() != entry.actor() && e.number() < entry.number())
        .filter(e -> e.result().updated() > 0)
        .map(e -> Sql.of(e.step()))
        .filter(other -> !Collections.disjoint(other.writes(), sql.writes()))
        .anyMatch(other -> other.verb().equals("insert") || other.mayMeanSameRow(sql));
  }

  private void addRelative() {
    Sql act = conflict.act().sql();
    act.assignments().entrySet().stream()
        .filter(set -> set.getValue().size() == 1)
        .filter(set -> set.getValue().get(0).text().matches("-?[0-9.]+"))
        .filter(set -> conflict.change().sql().assignments().containsKey(set.getKey()))
        .map(Map.Entry::getKey)
        .findFirst()
        .ifPresent(
            column ->
                fixes.add(
                    new Fix(
                        "Let the database compute, in one statement.",
                        "UPDATE "
                            + table()
                            + " SET "
                            + column
                            + " = "
                            + column
                            + " + ? WHERE "
                            + where(act),
                        "Conditional.table(\""
                            + table()
                            + "\").where(…).increase(\""
                            + column
                            + "\", …)")));
  }

  private void addCondition() {
    Deed act = conflict.change().sql().verb().equals("update") ? conflict.change() : conflict.act();
    if (!act.sql().verb().equals("update") || act.sql().where().isEmpty()) {
      return;
    }
    Map<String, List<Token>> sets = act.sql().assignments();
    for (Map.Entry<String, List<Token>> set : sets.entrySet()) {
      Optional<String> before = valueRead(set.getKey());
      boolean relative = set.getValue().stream().anyMatch(t -> t.name().equals(set.getKey()));
      if (relative || before.isPresent()) {
        String condition =
            relative ? condition(set.getKey(), set.getValue()) : set.getKey() + equal(before.get());
        fixes.add(
            new Fix(
                "Check in the statement that changes it, and go on only if it changed 1 row.",
                Words.shortened(act.sql().bound() + " AND " + condition, 200),
                "Conditional.table(\""
                    + act.sql().writes().iterator().next()
                    + "\").where(…)"
                    + (relative
                        ? ".decrease(\"" + set.getKey() + "\", …)"
                        : mark(set.getKey(), before.get()))));
        return;
      }
    }
  }

  private static String mark(String column, String before) {
    return before.equals("NULL")
        ? ".markOnce(\"" + column + "\", …)"
        : ".transition(\"" + column + "\", …, …)";
  }

  private static String condition(String column, List<Token> expression) {
    boolean down = expression.size() > 2 && expression.get(1).is("-");
    return down ? column + " >= " + expression.get(2).text() : column + " < …";
  }

  private static String equal(String value) {
    return value.equals("NULL") ? " IS NULL" : " = " + value;
  }

  private Optional<String> valueRead(String column) {
    for (RowRead row : conflict.read().entry().result().rows()) {
      for (int i = 0; i < row.labels().size(); i++) {
        if (row.labels().get(i).equalsIgnoreCase(column)) {
          return Optional.of(row.values().get(i));
        }
      }
    }
    return Optional.empty();
  }

  private void addUnique() {
    Deed insert = conflict.act().inserts() ? conflict.act() : conflict.change();
    if (!insert.inserts() || insert.sql().upserts()) {
      return;
    }
    String into = insert.sql().writes().iterator().next();
    List<String> filled = insert.sql().insertColumns();
    List<String> key =
        conflict.read().sql().equalities().keySet().stream().filter(filled::contains).toList();
    String columns = key.isEmpty() ? "…" : String.join(", ", key);
    String keys =
        key.isEmpty()
            ? ".key(…)"
            : String.join("", key.stream().map(k -> ".key(\"" + k + "\", …)").toList());
    fixes.add(
        new Fix(
            "Let a constraint refuse the second one.",
            "ALTER TABLE " + into + " ADD UNIQUE (" + columns + ")",
            "CreateOnce.table(\"" + into + "\")" + keys + ".apply(tx)"));
  }

  private void addLock() {
    Deed read = conflict.read();
    if (!read.sql().verb().equals("select")) {
      return;
    }
    if (read.sql().locks()) {
      addBetterLock(read);
      return;
    }
    String steps = (reads.size() > 1 ? "steps " : "step ") + Words.and(reads);
    String scope =
        conflict.inOneTransaction()
            ? ""
            : ", and write in the same transaction: a lock ends with it";
    if (conflict.change().inserts() || read.values().equals("no row") || read.sql().composed()) {
      fixes.add(
          new Fix(
              "Before "
                  + steps
                  + ", lock a row that is there and that all have in common, such as the parent"
                  + scope
                  + ". FOR UPDATE on rows that do not exist yet locks nothing.",
              "",
              "RowLocks.lock(tx, …)"));
      return;
    }
    boolean counts = read.sql().aggregates();
    String code = counts ? "SELECT id FROM " + table() + filter(read.sql()) : read.sql().bound();
    fixes.add(
        new Fix(
            (counts ? "Lock the rows, and count them only then, in " : "Lock what is read in ")
                + steps
                + scope
                + ".",
            Words.shortened(code + " FOR UPDATE", 200),
            "RowLocks.lock(tx, \"" + table() + "\", List.of(…))"));
  }

  /** It has locked, and that was not enough. */
  private void addBetterLock(Deed read) {
    String step = "step " + read.number();
    Optional<Integer> back = givenBack(read);
    if (!conflict.inOneTransaction()) {
      fixes.add(
          new Fix(
              "The lock of "
                  + step
                  + " ends with its transaction: write in that same transaction, before it is"
                  + " committed.",
              "",
              "transactions.run(tx -> …)"));
    } else if (back.isPresent()) {
      fixes.add(
          new Fix(
              "The rollback to a savepoint in step "
                  + back.get()
                  + " gave the lock of "
                  + step
                  + " back: lock and read again after it, or lock before the savepoint.",
              "",
              ""));
    } else if (read.sql().skipsLocked()) {
      fixes.add(
          new Fix(
              "SKIP LOCKED passes over what another is at: before "
                  + step
                  + ", lock a row that all have in common, such as the parent.",
              "",
              "RowLocks.lock(tx, …)"));
    } else {
      fixes.add(
          new Fix(
              "The lock of "
                  + step
                  + " does not keep others from changing "
                  + table()
                  + ": lock those rows of it, for update, when they are read.",
              "SELECT … FROM " + table() + " WHERE … FOR UPDATE",
              "RowLocks.lock(tx, \"" + table() + "\", List.of(…))"));
    }
  }

  /** Where what was locked there was given back before it was acted on. */
  private Optional<Integer> givenBack(Deed read) {
    return finding.run().entries().stream()
        .filter(e -> e.actor() == read.actor() && e.step().kind() == StepKind.ROLLBACK_TO)
        .map(Entry::number)
        .filter(number -> read.number() < number && number < conflict.act().number())
        .findFirst();
  }

  private static String filter(Sql sql) {
    return sql.where().isEmpty() ? "" : " WHERE " + sql.where();
  }

  private void addVersion() {
    fixes.add(
        new Fix(
            "Change it only if it is still as it was read: a version column.",
            "UPDATE " + table() + " SET …, version = version + 1 WHERE … AND version = ?",
            "Update.table(\"" + table() + "\").set(…).where(…).version(v).apply(tx)"));
  }

  private void addSerializable() {
    boolean inVain =
        finding.levels().stream()
            .anyMatch(tried -> tried.level() == Isolation.SERIALIZABLE && !tried.helps());
    if (conflict.inOneTransaction() && !inVain) {
      fixes.add(
          new Fix(
              (fixes.isEmpty() ? "Run" : "Or run")
                  + " it as SERIALIZABLE, and again when it is refused (40001).",
              "",
              "transactions.isolation(Isolation.SERIALIZABLE).retrying(5).run(tx -> …)"));
    }
  }

  private String table() {
    return conflict.read().tableChangedBy(conflict.change());
  }

  private static String where(Sql sql) {
    return Words.shortened(sql.where(), 120);
  }
}
