package dev.holdfast.race.internal.report;

import dev.holdfast.race.internal.model.Entry;
import dev.holdfast.race.internal.model.Exploration;
import dev.holdfast.race.internal.model.Finding;
import dev.holdfast.race.internal.model.Outcome;
import dev.holdfast.race.internal.model.RunRecord;
import dev.holdfast.race.internal.model.StepKind;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The name of a finding, and the entries that decide it. The name follows from what was observed:
 * which actor read before which commit, and which changed what afterwards. If that is not
 * conclusive, the name says no more than what is certain.
 */
public final class Anomaly {
  private final Finding finding;
  private final String name;
  private final History history;
  private final @Nullable Conflict conflict;
  private final List<ReleasedLock> lostLocks;
  private final CrashRetry secondTry;
  private final Map<Integer, String> decisive = new TreeMap<>();

  private Anomaly(Finding finding, boolean snapshots) {
    this.finding = finding;
    boolean judged =
        finding.kind() == Finding.Kind.NOT_SERIALIZABLE
            || finding.kind() == Finding.Kind.INVARIANT_VIOLATED;
    this.history = new History(finding.run(), snapshots);
    this.conflict = judged ? findConflict() : null;
    this.lostLocks =
        conflict == null ? List.of() : ReleasedLock.of(conflict, party(conflict), history);
    this.secondTry = new CrashRetry(finding, history, !surplus().isEmpty());
    this.name = name();
    if (conflict != null) {
      markConflict(conflict);
    }
    lostLocks.forEach(
        lock ->
            decisive.putIfAbsent(
                lock.end().number(),
                (lock.end().step().implicit() ? "releases its lock" : "releases the lock of ")
                    + (lock.end().step().implicit() ? "" : lock.read().number())));
    if (finding.kind() == Finding.Kind.DEADLOCK) {
      DeadlockCycle.of(finding.run()).ifPresent(this::markDeadlock);
    }
    if (isByCrash()) {
      secondTry
          .repetitions()
          .forEach((again, first) -> decisive.put(again, "repeats step " + first));
    }
    repeatedEffects().forEach(entry -> decisive.put(entry.number(), "happens more than once"));
  }

  /** The name, in capitals: {@code LOST UPDATE}. */
  public static String nameOf(Exploration exploration) {
    Finding finding = exploration.finding();
    return finding == null ? "" : of(exploration, finding).name;
  }

  static Anomaly of(Exploration exploration, Finding finding) {
    String level = exploration.isolation().toUpperCase(Locale.ROOT).replace('_', ' ');
    boolean snapshots = level.contains("REPEATABLE READ") || level.contains("SERIALIZABLE");
    return new Anomaly(finding, snapshots);
  }

  private @Nullable Conflict findConflict() {
    return new Conflicts(
            history, !finding.expected().isEmpty(), table -> Difference.isWrong(finding, table))
        .best()
        .orElse(null);
  }

  private String name() {
    return switch (finding.kind()) {
      case DEADLOCK -> "DEADLOCK";
      case LIVELOCK -> "LIVELOCK";
      case STUCK -> "STUCK";
      case JVM_LOCK -> "PROTECTED ONLY BY A JVM LOCK";
      case NOT_IDEMPOTENT -> secondTry.leftHalfDone() ? "PARTIAL EXECUTION" : "NOT IDEMPOTENT";
      case FORBIDDEN_ERROR -> "FORBIDDEN ERROR";
      case NOT_SERIALIZABLE, INVARIANT_VIOLATED -> judged();
    };
  }

  private String judged() {
    if (!surplus().isEmpty()) {
      return "DUPLICATE EFFECT";
    }
    if (conflict != null) {
      return conflict.pattern().title();
    }
    return finding.kind() == Finding.Kind.INVARIANT_VIOLATED
        ? "INVARIANT VIOLATED"
        : "NOT SERIALIZABLE";
  }

  /** Effects that no serial order has so often. */
  private List<String> surplus() {
    Outcome got = finding.actual();
    if (got == null || finding.expected().isEmpty()) {
      return List.of();
    }
    Map<String, Integer> counts = counts(got);
    return counts.keySet().stream()
        .filter(
            effect ->
                finding.expected().stream()
                    .map(expected -> counts(expected.outcome()))
                    .allMatch(
                        expected ->
                            expected.getOrDefault(effect, 0) < counts.getOrDefault(effect, 0)))
        .toList();
  }

  private static Map<String, Integer> counts(Outcome outcome) {
    Map<String, Integer> counts = new HashMap<>();
    outcome.effects().forEach(effect -> counts.merge(effect.name(), 1, Integer::sum));
    return counts;
  }

  /** The entries of effects that happened too often. */
  List<Entry> repeatedEffects() {
    List<String> surplus = surplus();
    return finding.run().entries().stream()
        .filter(e -> e.step().kind() == StepKind.EFFECT && surplus.contains(e.step().text()))
        .toList();
  }

  /** Likewise, by their names: the numbers of the entries. */
  Map<String, List<Integer>> repeatedByName() {
    Map<String, List<Integer>> byName = new LinkedHashMap<>();
    repeatedEffects()
        .forEach(
            entry ->
                byName
                    .computeIfAbsent(entry.step().text(), name -> new ArrayList<>())
                    .add(entry.number()));
    return byName;
  }

  private void markConflict(Conflict c) {
    if (c.pattern() == Conflict.Pattern.DOUBLE_SPEND) {
      ConflictParties party = party(c);
      party.reads().forEach(read -> decisive.put(read.number(), "bases its decision on this"));
      party.acts().forEach(act -> decisive.put(act.number(), "acts on it"));
    }
    PerformedStep theirs = c.otherRead();
    if (theirs != null && theirs.number() != c.change().number()) {
      decisive.put(theirs.number(), "bases its decision on this");
    }
    boolean single = c.read().number() == c.act().number();
    decisive.put(c.change().committed(), "visible to others from here");
    decisive.put(c.change().number(), "changes what " + actor(c.read()) + " has read");
    decisive.put(
        c.act().number(),
        switch (c.pattern()) {
          case LOST_UPDATE -> "overwrites the change of " + actor(c.change());
          case STALE_SUBSELECT ->
              "uses what it read before " + c.change().committed() + ", although it waited";
          case INCONSISTENT_READ -> "sees a different state than in " + c.read().number();
          default -> single ? "checks and acts" : "acts on what it read in " + c.read().number();
        });
    if (!single) {
      decisive.put(c.read().number(), "stale after " + c.change().committed());
    }
  }

  private void markDeadlock(RunRecord.Deadlock deadlock) {
    for (int i = 0; i < deadlock.entries().size(); i++) {
      int next = deadlock.waiters().get((i + 1) % deadlock.waiters().size());
      if (deadlock.entries().get(i) > 0) {
        decisive.put(deadlock.entries().get(i), "requests a lock that " + name(next) + " holds");
      }
    }
  }

  private String actor(PerformedStep deed) {
    return name(deed.actor());
  }

  private String name(int actor) {
    return finding.actors().get(actor);
  }

  String title() {
    return name;
  }

  Finding finding() {
    return finding;
  }

  /** Where actors interfered; null if that is not what is wrong, or not known. */
  @Nullable Conflict conflict() {
    return conflict;
  }

  /** Whether a crash is the cause, and not a concurrent actor. */
  boolean isByCrash() {
    boolean judged =
        finding.kind() == Finding.Kind.NOT_SERIALIZABLE
            || finding.kind() == Finding.Kind.INVARIANT_VIOLATED;
    return finding.kind() == Finding.Kind.NOT_IDEMPOTENT
        || (judged && conflict == null && secondTry.crash().isPresent());
  }

  /** Locks that ended before what they were taken for. */
  List<ReleasedLock> lostLocks() {
    return lostLocks;
  }

  /** What was run again after a crash. */
  CrashRetry secondTry() {
    return secondTry;
  }

  /** All actors that did the same as the two of the conflict. */
  ConflictParties party(Conflict of) {
    return ConflictParties.of(of, history, finding.actors().size());
  }

  /** The entries that decide it, and what they are to it. */
  Map<Integer, String> decisive() {
    return decisive;
  }
}
