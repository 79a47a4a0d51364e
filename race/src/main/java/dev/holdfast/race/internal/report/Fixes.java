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

/** Proposes fixes for a finding: two or three ways, the best first. */
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
    PerformedStep theirs = conflict.otherRead();
    return theirs == null
        ? List.of(conflict.read().number())
        : Stream.of(theirs.number(), conflict.read().number()).sorted().toList();
  }

  /** A lock that was taken for it, and ended too early. */
  static Optional<Fix> oneTransaction(Anomaly anomaly) {
    List<ReleasedLock> lost = anomaly.lostLocks();
    return lost.stream()
        .findFirst()
        .map(
            lock ->
                new Fix(
                    "Read and write in one transaction. A lock is released when its transaction"
                        + " ends, here in "
                        + Words.and(lost.stream().map(l -> "" + l.end().number()).toList())
                        + ", before the write."
                        + (lock.read().sql().locksShared()
                            ? " Use FOR UPDATE: a shared lock admits both."
                            : ""),
                    "",
                    "transactions.run(tx -> …)"));
  }

  private static List<Fix> duplicateEffect(Anomaly anomaly) {
    List<Fix> fixes = new ArrayList<>();
    oneTransaction(anomaly).ifPresent(fixes::add);
    fixes.add(
        new Fix(
            "Before the side effect, insert a unique key and commit it: only one actor can"
                + " succeed.",
            "",
            "CreateIfAbsent.table(…).key(…).apply(tx)"));
    fixes.add(
        new Fix(
            "Or schedule the side effect as an event with a key, in the same transaction: it is"
                + " scheduled once per key and runs after the commit.",
            "",
            ""));
    fixes.add(
        new Fix("Send the remote service an idempotency key that both actors share.", "", ""));
    return fixes.stream().limit(MAX).toList();
  }

  private static List<Fix> livelock() {
    return List.of(
        new Fix("Limit the attempts, and use backoff with jitter between them.", "", RETRY),
        new Fix(
            "If many transactions compete for one row, wait for its lock instead of retrying.",
            "SELECT … FOR UPDATE",
            "RowLocks.lock(tx, …)"));
  }

  private static List<Fix> stuck(Finding finding) {
    return switch (finding.run().end()) {
      case POOL ->
          List.of(
              new Fix("Give the pool at least as many connections as the actors need.", "", ""),
              new Fix(
                  "Do not take a second connection while holding one: concurrent operations can"
                      + " exhaust the pool and block each other forever.",
                  "",
                  ""));
      case UNKNOWN_CONNECTION ->
          List.of(
              new Fix(
                  "Another session holds a lock: an open transaction of the test itself, a tool, or"
                      + " a connection that an actor opened outside of the wrapped DataSource.",
                  "",
                  ""));
      default ->
          List.of(
              new Fix("Limit every wait: set a lock timeout and a query timeout.", "", ""),
              new Fix(
                  "Use only the given DataSource in an actor, and do not wait for another actor.",
                  "",
                  ""));
    };
  }

  private static List<Fix> javaLock() {
    return List.of(
        new Fix(
            "Use a database lock: lock the row that the operation works on.",
            "SELECT … FOR UPDATE",
            "RowLocks.lock(tx, …)"),
        new Fix(
            "Or check and change in one statement.", "", "ConditionalUpdate.table(…)…apply(tx)"),
        new Fix(
            "If only one instance ever runs, allow JVM locks in the test.",
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
                  "Insert only if the row is absent, and use the existing row otherwise.",
                  "INSERT … ON CONFLICT DO NOTHING",
                  "CreateIfAbsent.table(…).key(…).apply(tx)"));
      case SERIALIZATION_FAILURE, DEADLOCK, LOCK_TIMEOUT ->
          List.of(new Fix("Retry the whole transaction.", "", RETRY));
      default -> unknown();
    };
  }

  private static List<Fix> unknown() {
    return List.of(
        new Fix(
            "Check and change in one statement, and check its row count.",
            "",
            "ConditionalUpdate.table(…)…apply(tx)"),
        new Fix(
            "Lock the rows when reading them, and write in the same transaction.",
            "SELECT … FOR UPDATE",
            "RowLocks.lock(tx, …)"));
  }
}
