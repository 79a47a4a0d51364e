package dev.holdfast.race.internal.report;

import dev.holdfast.race.internal.model.ActorEnd;
import dev.holdfast.race.internal.model.Entry;
import dev.holdfast.race.internal.model.Finding;
import dev.holdfast.race.internal.model.Outcome;
import dev.holdfast.sql.SqlErrors;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Proposes how to mend a finding: two or three ways, the best first. */
final class Fixes {
  private static final String RETRY = "transactions.retrying(5).run(tx -> …)";

  private Fixes() {}

  static List<Fix> of(Anomaly anomaly) {
    Finding finding = anomaly.finding();
    Conflict conflict = anomaly.conflict();
    if (!anomaly.repeatedEffects().isEmpty() && finding.kind() != Finding.Kind.NOT_IDEMPOTENT) {
      return duplicateEffect();
    }
    if (conflict != null) {
      return new ConflictFixes(conflict, finding, reads(anomaly, conflict)).all();
    }
    return switch (finding.kind()) {
      case DEADLOCK -> deadlock(finding);
      case LIVELOCK -> livelock();
      case STUCK -> stuck(finding);
      case JAVA_LOCK -> javaLock();
      case NOT_IDEMPOTENT -> notIdempotent(finding);
      case FORBIDDEN_ERROR -> forbidden(finding.got());
      case NOT_SERIAL, INVARIANT -> unknown();
    };
  }

  private static List<Integer> reads(Anomaly anomaly, Conflict conflict) {
    if (conflict.pattern() == Conflict.Pattern.DOUBLE_SPEND) {
      return anomaly.party(conflict).readNumbers();
    }
    Deed theirs = conflict.otherRead();
    return theirs == null
        ? List.of(conflict.read().number())
        : Stream.of(theirs.number(), conflict.read().number()).sorted().toList();
  }

  private static List<Fix> duplicateEffect() {
    return List.of(
        new Fix(
            "Before the effect, claim the right to it in a statement of which only one can succeed,"
                + " and commit that.",
            "",
            "CreateOnce.table(…).key(…).apply(tx)"),
        new Fix(
            "Or have the effect happen as an event that is scheduled under a key in the same"
                + " transaction: then it is done once it is committed, and once per key.",
            "",
            ""),
        new Fix("Give the other side an idempotency key that both actors have.", "", ""));
  }

  private static List<Fix> deadlock(Finding finding) {
    String table =
        finding.run().deadlocks().stream()
            .flatMap(d -> d.entries().stream())
            .flatMap(n -> finding.run().entries().stream().filter(e -> e.number() == n))
            .map(e -> Sql.of(e.step()))
            .flatMap(sql -> (sql.writes().isEmpty() ? sql.reads() : sql.writes()).stream())
            .findFirst()
            .orElse("…");
    return List.of(
        new Fix(
            "Lock all rows first, in one order for everybody.",
            "SELECT … FROM " + table + " WHERE id IN (…) ORDER BY id FOR UPDATE",
            "RowLocks.lock(tx, \"" + table + "\", List.of(…))"),
        new Fix(
            "Run the whole transaction again when the database ends it (SQLState 40P01, 40001).",
            "",
            RETRY),
        new Fix("If the test means to allow it:", "race.allow(SqlError.DEADLOCK)", ""));
  }

  private static List<Fix> livelock() {
    return List.of(
        new Fix("Bound the attempts, and wait between them for a growing, random time.", "", RETRY),
        new Fix(
            "Where many want the same row, wait for it instead of trying again.",
            "SELECT … FOR UPDATE",
            "RowLocks.lock(tx, …)"));
  }

  private static List<Fix> stuck(Finding finding) {
    return switch (finding.run().end()) {
      case POOL ->
          List.of(
              new Fix("Give the pool at least as many connections as the actors need.", "", ""),
              new Fix(
                  "Do not take a second connection while holding one: as many operations at once as"
                      + " the pool has connections would block each other for ever.",
                  "",
                  ""));
      case STRANGER ->
          List.of(
              new Fix(
                  "Another session holds a lock: an open transaction of the test itself, a tool, or"
                      + " a connection that an actor took past the wrapped DataSource.",
                  "",
                  ""));
      default ->
          List.of(
              new Fix("Give every wait an end: a lock timeout, a query timeout.", "", ""),
              new Fix(
                  "Use only the given DataSource in an actor, and do not wait for another actor.",
                  "",
                  ""));
    };
  }

  private static List<Fix> javaLock() {
    return List.of(
        new Fix(
            "Let the database keep them apart: lock the row that the operation is about.",
            "SELECT … FOR UPDATE",
            "RowLocks.lock(tx, …)"),
        new Fix("Or check and change in one statement.", "", "Conditional.table(…)…apply(tx)"),
        new Fix(
            "If there is only ever one instance, let the test say so.",
            "race.allowJavaLocks()",
            ""));
  }

  private static List<Fix> notIdempotent(Finding finding) {
    List<Fix> fixes = new ArrayList<>();
    if (transactions(finding) > 1) {
      fixes.add(
          new Fix(
              "Do all of it in one transaction, so that a crash leaves all or nothing.",
              "",
              "transactions.run(tx -> …)"));
    }
    fixes.add(
        new Fix(
            "In the same transaction, insert a key that the caller gives, into a column that is"
                + " UNIQUE: if it is there, the work was done, and the answer of the commit was"
                + " lost.",
            "INSERT INTO requests (key) VALUES (?)",
            "CreateOnce.table(\"requests\").key(\"key\", …).apply(tx)"));
    fixes.add(
        new Fix(
            "Have effects outside of the database after the commit, and give the other side the"
                + " same key.",
            "",
            ""));
    return fixes;
  }

  /** How many the operation needs for all that it changes. */
  private static long transactions(Finding finding) {
    return new History(finding.run(), false)
        .changes()
        .filter(
            change ->
                !change.isEffect()
                    && change.entry().life()
                        == finding.run().entries().stream().mapToInt(Entry::life).max().orElse(1))
        .map(change -> change.entry().step().transaction())
        .distinct()
        .count();
  }

  private static List<Fix> forbidden(@Nullable Outcome got) {
    Throwable error =
        got == null
            ? null
            : got.ends().stream()
                .map(ActorEnd::error)
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
    return switch (SqlErrors.classify(error)) {
      case UNIQUE_VIOLATION ->
          List.of(
              new Fix(
                  "Insert only if it is not there, and use what is there otherwise.",
                  "INSERT … ON CONFLICT DO NOTHING",
                  "CreateOnce.table(…).key(…).apply(tx)"));
      case SERIALIZATION_FAILURE, DEADLOCK, LOCK_TIMEOUT ->
          List.of(new Fix("Run the whole transaction again.", "", RETRY));
      default -> unknown();
    };
  }

  private static List<Fix> unknown() {
    return List.of(
        new Fix(
            "Check and change in one statement, and look at its row count.",
            "",
            "Conditional.table(…)…apply(tx)"),
        new Fix(
            "Lock what is read until it is acted on, in the same transaction.",
            "SELECT … FOR UPDATE",
            "RowLocks.lock(tx, …)"));
  }
}
