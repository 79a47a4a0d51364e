package dev.holdfast.race.internal.report;

import dev.holdfast.race.internal.model.ActorEnd;
import dev.holdfast.race.internal.model.Finding;
import dev.holdfast.race.internal.model.Outcome;
import dev.holdfast.transaction.SqlError;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Proposes how to mend a finding: two or three ways, the best first. */
final class Fixes {
  private static final int MAX = 3;

  static final String RETRY = "transactions.retrying(5).run(tx -> …)";

  private Fixes() {}

  static List<Fix> of(Anomaly anomaly) {
    Finding finding = anomaly.finding();
    Conflict conflict = anomaly.conflict();
    if (anomaly.isByCrash()) {
      return new CrashFixes(anomaly).all();
    }
    if (!anomaly.repeatedEffects().isEmpty()) {
      return duplicateEffect(anomaly);
    }
    if (conflict != null) {
      return new ConflictFixes(anomaly, conflict, reads(anomaly, conflict)).all();
    }
    return switch (finding.kind()) {
      case DEADLOCK -> DeadlockFixes.of(finding);
      case LIVELOCK -> livelock();
      case STUCK -> stuck(finding);
      case JVM_LOCK -> javaLock();
      case FORBIDDEN_ERROR -> forbidden(finding.actual());
      case NOT_SERIALIZABLE, INVARIANT_VIOLATED, NOT_IDEMPOTENT -> unknown();
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

  /** A lock that was taken for it, and ended too early. */
  static Optional<Fix> oneTransaction(Anomaly anomaly) {
    List<LostLock> lost = anomaly.lostLocks();
    return lost.stream()
        .findFirst()
        .map(
            lock ->
                new Fix(
                    "Read and write in one transaction: a lock ends with the one that took it, here"
                        + " in "
                        + Words.and(lost.stream().map(l -> "" + l.end().number()).toList())
                        + ", before it is acted on."
                        + (lock.read().sql().locksShared()
                            ? " And lock FOR UPDATE, for a shared lock lets both in."
                            : ""),
                    "",
                    "transactions.run(tx -> …)"));
  }

  private static List<Fix> duplicateEffect(Anomaly anomaly) {
    List<Fix> fixes = new ArrayList<>();
    oneTransaction(anomaly).ifPresent(fixes::add);
    fixes.add(
        new Fix(
            "Before the effect, claim the right to it in a statement of which only one can succeed,"
                + " and commit that.",
            "",
            "CreateIfAbsent.table(…).key(…).apply(tx)"));
    fixes.add(
        new Fix(
            "Or have the effect happen as an event that is scheduled under a key in the same"
                + " transaction: then it is done once it is committed, and once per key.",
            "",
            ""));
    fixes.add(new Fix("Give the other side an idempotency key that both actors have.", "", ""));
    return fixes.stream().limit(MAX).toList();
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
      case UNKNOWN_CONNECTION ->
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
            "race.allowJvmLocks()",
            ""));
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
    return switch (SqlError.of(error)) {
      case UNIQUE_VIOLATION ->
          List.of(
              new Fix(
                  "Insert only if it is not there, and use what is there otherwise.",
                  "INSERT … ON CONFLICT DO NOTHING",
                  "CreateIfAbsent.table(…).key(…).apply(tx)"));
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
