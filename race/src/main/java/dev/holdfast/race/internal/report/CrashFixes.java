package dev.holdfast.race.internal.report;

import dev.holdfast.race.internal.model.Entry;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Proposes fixes for the result of a crash and a retry. */
final class CrashFixes {
  private static final String OTHER_SIDE =
      " Send the remote service the same idempotency key, because it may have received the first"
          + " request.";

  private final CrashRetry secondTry;
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
    Optional<Integer> done = secondTry.lastBefore().map(PerformedStep::number);
    Optional<Integer> look = secondTry.firstLook().map(PerformedStep::number);
    String how;
    if (refused.isPresent()) {
      how =
          "if "
              + refused.get().number()
              + " is rejected because of "
              + done.map(number -> "step " + number).orElse("the first attempt")
              + ", treat that as done by this operation and continue with the rest";
    } else if (done.isPresent() && look.isPresent()) {
      how = "step " + look.get() + " must find what step " + done.get() + " left" + begun();
    } else {
      how = "find the unfinished work and continue from there";
    }
    fixes.add(
        new Fix(
            "Let the retry resume unfinished work: "
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

  private static Optional<Map.Entry<String, String>> status(PerformedStep deed) {
    return deed.sql().assignments().entrySet().stream()
        .filter(set -> set.getValue().size() == 1)
        .map(set -> Map.entry(set.getKey(), set.getValue().get(0).text()))
        .filter(set -> set.getValue().startsWith("'"))
        .findFirst();
  }

  private void addStuckRows() {
    Optional<PerformedStep> begun =
        secondTry.lastBefore().filter(deed -> !deed.sql().writes().isEmpty());
    status()
        .ifPresent(
            set ->
                fixes.add(
                    new Fix(
                        "Or reset rows that stay in this state for too long, so that the work runs"
                            + " again.",
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
            "Send the remote service the same idempotency key in both attempts, so that it acts"
                + " once. A second request is then correct; make it a yield point in the test:",
            "crash.yieldPoint(…)",
            ""));
    fixes.add(
        new Fix(
            "Or, in the retry, first ask the remote service whether the request was executed.",
            "",
            ""));
  }

  private void addKeyOfTheCaller() {
    fixes.add(
        new Fix(
            "In the same transaction, insert a key of the caller into a UNIQUE column: if the key"
                + " exists, the work is done, and the response to the commit was lost.",
            "INSERT INTO requests (key) VALUES (?)",
            "CreateIfAbsent.table(\"requests\").key(\"key\", …).apply(tx)"));
    if (secondTry.hasEffects()) {
      fixes.add(
          new Fix(
              "Run side effects outside of the database after the commit, and send the remote"
                  + " service the same idempotency key.",
              "",
              ""));
    }
  }
}
