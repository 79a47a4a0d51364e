package dev.holdfast.race.internal.report;

import dev.holdfast.race.internal.model.Entry;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Proposes how to mend what a crash and a second try have led to. */
final class CrashFixes {
  private static final String OTHER_SIDE =
      " Give the other side a key that stays the same, for it may have been asked before.";

  private final SecondTry secondTry;
  private final boolean effectTwice;
  private final List<Fix> fixes = new ArrayList<>();

  CrashFixes(Anomaly anomaly) {
    this.secondTry = anomaly.secondTry();
    this.effectTwice = !anomaly.repeatedEffects().isEmpty();
  }

  List<Fix> all() {
    if (secondTry.leftHalfDone()) {
      addOneTransaction(!secondTry.hasEffects());
      addGoOn();
      addStuckRows();
    } else if (effectTwice) {
      addKeyOfTheOtherSide();
    } else {
      addOneTransaction(
          !secondTry.hasEffects() && secondTry.transactions() > 1 && secondTry.looksAtItsOwn());
      addKeyOfTheCaller();
    }
    return fixes;
  }

  private void addOneTransaction(boolean helps) {
    if (helps) {
      fixes.add(
          new Fix(
              "Do all of it in one transaction, so that a crash leaves all or nothing.",
              "",
              "transactions.run(tx -> …)"));
    }
  }

  private void addGoOn() {
    Optional<Entry> refused = secondTry.again().filter(e -> e.result().error() != null).findFirst();
    Optional<Integer> done = secondTry.lastBefore().map(Deed::number);
    Optional<Integer> look = secondTry.firstLook().map(Deed::number);
    String how;
    if (refused.isPresent()) {
      how =
          "when "
              + refused.get().number()
              + " is refused because of what "
              + done.map(String::valueOf).orElse("the first try")
              + " did, take that for its own, and go on with the rest";
    } else if (done.isPresent() && look.isPresent()) {
      how = look.get() + " has to find what " + done.get() + " has left" + begun();
    } else {
      how = "look for what was begun, and go on from there";
    }
    fixes.add(
        new Fix(
            "Let the second try pick up what is unfinished: "
                + how
                + "."
                + (secondTry.hasEffects() ? OTHER_SIDE : ""),
            "",
            ""));
  }

  private String begun() {
    return status().map(set -> " (" + set.getKey() + " = " + set.getValue() + ")").orElse("");
  }

  /** What marks the row as begun: a text that a column was set to. */
  private Optional<Map.Entry<String, String>> status() {
    return secondTry.lastBefore().flatMap(CrashFixes::status);
  }

  private static Optional<Map.Entry<String, String>> status(Deed deed) {
    return deed.sql().assignments().entrySet().stream()
        .filter(set -> set.getValue().size() == 1)
        .map(set -> Map.entry(set.getKey(), set.getValue().get(0).text()))
        .filter(set -> set.getValue().startsWith("'"))
        .findFirst();
  }

  private void addStuckRows() {
    Optional<Deed> begun = secondTry.lastBefore().filter(deed -> !deed.sql().writes().isEmpty());
    status()
        .ifPresent(
            set ->
                fixes.add(
                    new Fix(
                        "Or put back what stays so for too long, so that it is done anew.",
                        "",
                        begun
                            .map(
                                deed ->
                                    "StuckRows.table(\""
                                        + deed.sql().writes().iterator().next()
                                        + "\")"
                                        + key(deed.sql(), set.getKey())
                                        + ".status(\""
                                        + set.getKey()
                                        + "\", \""
                                        + Words.shortened(set.getValue(), 40).replace("'", "")
                                        + "\").olderThan(…).recoverTo(…)")
                            .orElse(""))));
  }

  private static String key(Sql sql, String status) {
    return sql.equalities().keySet().stream()
        .filter(column -> !column.equals(status))
        .findFirst()
        .map(column -> ".key(\"" + column + "\")")
        .orElse("");
  }

  private void addKeyOfTheOtherSide() {
    fixes.add(
        new Fix(
            "Give the other side a key that is the same in both tries, so that it does it once."
                + " Then to ask twice is right, and in the test it is a point:",
            "crash.yieldPoint(…)",
            ""));
    fixes.add(
        new Fix(
            "Or, when it is run again, ask the other side whether it was done, before doing it.",
            "",
            ""));
  }

  private void addKeyOfTheCaller() {
    fixes.add(
        new Fix(
            "In the same transaction, insert a key that the caller gives, into a column that is"
                + " UNIQUE: if it is there, the work was done, and the answer of the commit was"
                + " lost.",
            "INSERT INTO requests (key) VALUES (?)",
            "CreateIfAbsent.table(\"requests\").key(\"key\", …).apply(tx)"));
    if (secondTry.hasEffects()) {
      fixes.add(
          new Fix(
              "Have effects outside of the database after the commit, and give the other side the"
                  + " same key.",
              "",
              ""));
    }
  }
}
