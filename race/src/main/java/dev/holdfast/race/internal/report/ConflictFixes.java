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

/** Proposes fixes for a conflict, by the statements that take part in it. */
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
        fixes.add(
            new Fix(
                "Read once and reuse the values, or read everything in one statement.", "", ""));
        fixes.add(
            new Fix(
                "Run both reads in one transaction with one snapshot.",
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

  /** A change of no rows, because another actor was first, after which its actor continued. */
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
                    "Check the row count of step "
                        + number
                        + ": it changed 0 rows, because another actor was first, and the code"
                        + " continued.",
                    "",
                    "ConditionalUpdate…apply(tx).changed()"));
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
    PerformedStep act = conflict.act();
    act.sql().assignments().entrySet().stream()
        .filter(set -> conflict.change().sql().assignments().containsKey(set.getKey()))
        .filter(set -> set.getValue().size() == 1)
        .map(set -> ComputedUpdate.of(set.getKey(), valueRead(set.getKey()), set.getValue()))
        .flatMap(Optional::stream)
        .findFirst()
        .ifPresent(computed -> fixes.add(computed.fix(act.sql(), /* limited= */ false)));
  }

  private void addCondition() {
    PerformedStep act =
        conflict.change().sql().verb().equals("update") ? conflict.change() : conflict.act();
    if (!act.sql().verb().equals("update") || act.sql().where().isEmpty()) {
      return;
    }
    for (Map.Entry<String, List<Token>> set : act.sql().assignments().entrySet()) {
      Optional<String> before = valueRead(set.getKey());
      if (before.isPresent()) {
        fixes.add(
            ComputedUpdate.of(set.getKey(), before, set.getValue())
                .map(computed -> computed.fix(act.sql(), /* limited= */ true))
                .orElseGet(() -> mark(act.sql(), set.getKey(), before.get())));
        return;
      }
    }
  }

  private static Fix mark(Sql act, String column, String before) {
    boolean unset = before.equals("NULL");
    return new Fix(
        "Check in the UPDATE, and continue only if it changed 1 row.",
        Words.shortened(
            act.bound() + " AND " + column + (unset ? " IS NULL" : " = " + before), 200),
        "ConditionalUpdate.table(\""
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

  /** Only if a unique key can express it: that there is none yet, not that there are few. */
  private void addUnique() {
    PerformedStep insert = conflict.act().inserts() ? conflict.act() : conflict.change();
    PerformedStep read = conflict.read();
    // it is shrunk to as few as show it: if that takes three, two are allowed
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
            "Add a unique constraint, so that the second insert fails.",
            "ALTER TABLE " + into + " ADD UNIQUE (" + String.join(", ", key) + ")",
            "CreateIfAbsent.table(\""
                + into
                + "\")"
                + String.join("", key.stream().map(k -> ".key(\"" + k + "\", …)").toList())
                + ".apply(tx)"));
  }

  private static boolean foundNone(PerformedStep read) {
    return read.sql().counts()
        && (!read.entry().result().isQuery()
            || read.entry().result().rows().stream()
                .flatMap(row -> row.values().stream())
                .allMatch(value -> value.equals("0") || value.equalsIgnoreCase("false")));
  }

  private void addLock() {
    PerformedStep read = conflict.read();
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
            : ", and write in the same transaction: the lock ends with it";
    if (conflict.change().inserts() || read.values().equals("no row") || read.sql().composed()) {
      fixes.add(
          new Fix(
              "Before "
                  + steps
                  + ", lock an existing row that all actors share, such as the parent"
                  + ofWhom(read.sql())
                  + scope
                  + ". FOR UPDATE does not lock rows that do not exist yet.",
              "",
              "RowLocks.lock(tx, …)"));
      return;
    }
    boolean counts = read.sql().aggregates();
    String code = counts ? "SELECT id FROM " + table() + filter(read.sql()) : read.sql().bound();
    fixes.add(
        new Fix(
            (counts ? "Lock the rows before counting them, in " : "Lock the rows that are read in ")
                + steps
                + scope
                + ".",
            Words.shortened(code + " FOR UPDATE", 200),
            "RowLocks.lock(tx, \"" + table() + "\", List.of(…))"));
  }

  /** It has locked, and that was not enough. */
  private void addBetterLock(PerformedStep read) {
    if (!conflict.inOneTransaction()) {
      // then it is said first that it must be
      return;
    }
    String step = "step " + read.number();
    Optional<Integer> back = lockReleasedBy(read);
    if (back.isPresent()) {
      fixes.add(
          new Fix(
              "The rollback to a savepoint in step "
                  + back.get()
                  + " released the lock of "
                  + step
                  + ": lock and read again after it, or lock before the savepoint.",
              "",
              ""));
    } else if (read.sql().skipsLocked()) {
      fixes.add(
          new Fix(
              "SKIP LOCKED skips rows that another transaction has locked: before "
                  + step
                  + ", lock a row that all actors share, such as the parent.",
              "",
              "RowLocks.lock(tx, …)"));
    } else {
      fixes.add(
          new Fix(
              "The lock of "
                  + step
                  + " does not prevent changes to "
                  + table()
                  + ": lock its rows FOR UPDATE when reading them.",
              "SELECT … FROM " + table() + " WHERE … FOR UPDATE",
              "RowLocks.lock(tx, \"" + table() + "\", List.of(…))"));
    }
  }

  /** The rollback to a savepoint that released the lock before it was used. */
  private Optional<Integer> lockReleasedBy(PerformedStep read) {
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
            "Lock the row first, in a separate statement before any change: later statements then"
                + " see what was committed during the wait.",
            Words.shortened("SELECT … FROM " + table + filter(act) + " FOR UPDATE", 200),
            "RowLocks.lock(tx, \"" + table + "\", List.of(…))"));
  }

  private void addRollup() {
    if (conflict.act().sql().counts()) {
      fixes.add(
          new Fix(
              "Or use a guard that first locks and then counts.",
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
            "Update only if the row has not changed since it was read: use a version column.",
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
                  + " it as SERIALIZABLE, and retry on a serialization failure (40001).",
              "",
              "transactions.isolation(Isolation.SERIALIZABLE).retrying(5).run(tx -> …)"));
    }
  }

  private String table() {
    return conflict.read().tableChangedBy(conflict.change());
  }
}
