package dev.holdfast.race.internal.report;

import dev.holdfast.race.internal.model.Entry;
import dev.holdfast.race.internal.model.Finding;
import dev.holdfast.race.internal.model.StepKind;
import dev.holdfast.race.internal.model.StepResult.RowRead;
import dev.holdfast.transaction.Isolation;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Proposes how to mend a conflict, by the statements that take part in it. */
final class ConflictFixes {
  private static final int MAX = 3;

  private final Anomaly anomaly;
  private final Conflict conflict;
  private final Finding finding;
  private final List<String> reads;
  private final List<Fix> fixes = new ArrayList<>();

  /**
   * @param reads the numbers of the entries that read what was changed
   */
  ConflictFixes(Anomaly anomaly, Conflict conflict, List<Integer> reads) {
    this.anomaly = anomaly;
    this.conflict = conflict;
    this.reads = reads.stream().map(String::valueOf).toList();
    this.finding = anomaly.finding();
  }

  List<Fix> all() {
    Fixes.oneTransaction(anomaly).ifPresent(fixes::add);
    ignoredCount().ifPresent(fixes::add);
    switch (conflict.pattern()) {
      case LOST_UPDATE -> {
        addRelative();
        addLock();
        addVersion();
      }
      case STALE_SUBSELECT -> {
        addLockFirst();
        addRollup();
      }
      case DOUBLE_SPEND -> {
        addCondition();
        addUnique();
        addLock();
        if (isTried(Isolation.SERIALIZABLE)) {
          addSerializable();
        }
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
    return fixes.stream().limit(MAX).toList();
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
    Deed act = conflict.act();
    act.sql().assignments().entrySet().stream()
        .filter(set -> conflict.change().sql().assignments().containsKey(set.getKey()))
        .filter(set -> set.getValue().size() == 1)
        .map(set -> Computed.of(set.getKey(), valueRead(set.getKey()), set.getValue()))
        .flatMap(Optional::stream)
        .findFirst()
        .ifPresent(computed -> fixes.add(computed.fix(act.sql(), /* limited= */ false)));
  }

  private void addCondition() {
    Deed act = conflict.change().sql().verb().equals("update") ? conflict.change() : conflict.act();
    if (!act.sql().verb().equals("update") || act.sql().where().isEmpty()) {
      return;
    }
    for (Map.Entry<String, List<Token>> set : act.sql().assignments().entrySet()) {
      Optional<String> before = valueRead(set.getKey());
      if (before.isPresent()) {
        fixes.add(
            Computed.of(set.getKey(), before, set.getValue())
                .map(computed -> computed.fix(act.sql(), /* limited= */ true))
                .orElseGet(() -> mark(act.sql(), set.getKey(), before.get())));
        return;
      }
    }
  }

  private static Fix mark(Sql act, String column, String before) {
    boolean unset = before.equals("NULL");
    return new Fix(
        "Check in the statement that changes it, and go on only if it changed 1 row.",
        Words.shortened(
            act.bound() + " AND " + column + (unset ? " IS NULL" : " = " + before), 200),
        "Conditional.table(\""
            + act.writes().iterator().next()
            + "\").where(…)"
            + (unset
                ? ".markOnce(\"" + column + "\", …)"
                : ".transition(\"" + column + "\", …, …)"));
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

  /** Only where a unique key can say it: that there is none yet, not that there are few. */
  private void addUnique() {
    Deed insert = conflict.act().inserts() ? conflict.act() : conflict.change();
    Deed read = conflict.read();
    // it is shrunk to as few as show it: where that takes three, two are allowed
    boolean one = !read.sql().aggregates() || (foundNone(read) && reads.size() < 3);
    if (!insert.inserts() || insert.sql().upserts() || !one) {
      return;
    }
    String into = insert.sql().writes().iterator().next();
    List<String> filled = insert.sql().insertColumns();
    boolean same = filled.isEmpty() && read.sql().reads().contains(into);
    List<String> key =
        read.sql().equalities().keySet().stream().filter(c -> same || filled.contains(c)).toList();
    if (key.isEmpty()) {
      return;
    }
    fixes.add(
        new Fix(
            "Let a constraint refuse the second one.",
            "ALTER TABLE " + into + " ADD UNIQUE (" + String.join(", ", key) + ")",
            "CreateIfAbsent.table(\""
                + into
                + "\")"
                + String.join("", key.stream().map(k -> ".key(\"" + k + "\", …)").toList())
                + ".apply(tx)"));
  }

  private static boolean foundNone(Deed read) {
    return read.sql().counts()
        && (!read.entry().result().isQuery()
            || read.entry().result().rows().stream()
                .flatMap(row -> row.values().stream())
                .allMatch(value -> value.equals("0") || value.equalsIgnoreCase("false")));
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
                  + ofWhom(read.sql())
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
    if (!conflict.inOneTransaction()) {
      // then it is said first that it must be
      return;
    }
    String step = "step " + read.number();
    Optional<Integer> back = givenBack(read);
    if (back.isPresent()) {
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

  private static String ofWhom(Sql sql) {
    return sql.equalities().entrySet().stream()
        .findFirst()
        .map(equality -> " (of " + equality.getKey() + " = " + equality.getValue() + ")")
        .orElse("");
  }

  private void addLockFirst() {
    Sql act = conflict.act().sql();
    String table = act.writes().iterator().next();
    fixes.add(
        new Fix(
            "Lock the row first, in a statement of its own, before anything is changed: the"
                + " statements after it see all that was committed meanwhile.",
            Words.shortened("SELECT … FROM " + table + filter(act) + " FOR UPDATE", 200),
            "RowLocks.lock(tx, \"" + table + "\", List.of(…))"));
  }

  private void addRollup() {
    if (conflict.act().sql().counts()) {
      fixes.add(
          new Fix(
              "Or have it counted by a guard that locks and counts in this order.",
              "",
              "Rollup.parent(\""
                  + conflict.act().sql().writes().iterator().next()
                  + "\").children(\""
                  + table()
                  + "\", …).count(…)"));
    }
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

  /** Whether it was tried, and helps. */
  private boolean isTried(Isolation level) {
    return finding.levels().stream()
        .anyMatch(tried -> tried.level() == level && tried.known() && tried.helps());
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
}
