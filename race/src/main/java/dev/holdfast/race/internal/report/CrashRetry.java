package dev.holdfast.race.internal.report;

import dev.holdfast.race.internal.model.Entry;
import dev.holdfast.race.internal.model.Finding;
import dev.holdfast.race.internal.model.Outcome;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.BiPredicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * What was run again after a crash: what it did that had been done already, and what it left
 * undone.
 */
final class CrashRetry {
  /** New in every run: a UUID, a time, a generated id. */
  private static final String NEW_VALUE =
      "'[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}'|'\\d{4}-\\d\\d-\\d\\d["
          + " T].*'|[1-9]\\d{9,18}";

  private final Finding finding;
  private final History history;
  private final Map<Integer, Integer> repetitions = new TreeMap<>();
  private final boolean halfDone;

  /**
   * @param surplus whether effects happened too often
   */
  CrashRetry(Finding finding, History history, boolean surplus) {
    this.finding = finding;
    this.history = history;
    boolean twice = findRepetitions();
    Outcome got = finding.actual();
    this.halfDone =
        crash().isPresent()
            && got != null
            && !twice
            && !surplus
            && !isOf(got, (expected, end) -> hasMoreRows(end, expected))
            && (isOf(got, CrashRetry::hasMoreRows)
                || isOf(got, CrashRetry::hasMoreEffects)
                || changes().noneMatch(change -> change.entry().life() > 1));
  }

  /** Whether something was done twice that is not the same when it is done twice. */
  private boolean findRepetitions() {
    boolean harmful = false;
    List<PerformedStep> done = changes().toList();
    for (PerformedStep again : done) {
      Optional<PerformedStep> before =
          done.stream()
              .filter(first -> first.actor() == again.actor())
              .filter(first -> first.entry().life() < again.entry().life())
              .filter(first -> isSame(first, again))
              .findFirst();
      if (before.isPresent()) {
        repetitions.put(again.number(), before.get().number());
        harmful |= !isHarmless(before.get(), again);
      }
    }
    return harmful;
  }

  /** A write that gives rows back, and gave none, has changed nothing. */
  private Stream<PerformedStep> changes() {
    return history
        .changes()
        .filter(deed -> !deed.entry().result().isQuery() || deed.entry().result().rowCount() > 0);
  }

  private static boolean isSame(PerformedStep first, PerformedStep again) {
    if (first.isEffect() || again.isEffect()) {
      return first.isEffect()
          && again.isEffect()
          && first.entry().step().text().equals(again.entry().step().text());
    }
    if (!first.sql().unbound().equals(again.sql().unbound())) {
      return false;
    }
    boolean ofRows = !again.inserts() && !again.sql().where().isEmpty();
    return ofRows
        ? first.sql().where().equals(again.sql().where()) && gaveTheSame(first, again)
        : alike(first.entry().step().params(), again.entry().step().params());
  }

  /**
   * A statement that returned other rows changed other rows: the next message, not the same one.
   */
  private static boolean gaveTheSame(PerformedStep first, PerformedStep again) {
    return alike(given(first), given(again));
  }

  private static List<String> given(PerformedStep deed) {
    return deed.entry().result().rows().stream().flatMap(row -> row.values().stream()).toList();
  }

  private static boolean alike(List<String> one, List<String> other) {
    return one.size() == other.size()
        && IntStream.range(0, one.size())
            .allMatch(
                i ->
                    one.get(i).equals(other.get(i))
                        || (one.get(i).matches(NEW_VALUE) && other.get(i).matches(NEW_VALUE)));
  }

  /** An update that sets the same values again. */
  private static boolean isHarmless(PerformedStep first, PerformedStep again) {
    return again.sql().verb().equals("update")
        && first.sql().bound().equals(again.sql().bound())
        && again.sql().assignments().values().stream()
            .flatMap(List::stream)
            .noneMatch(
                t -> t.kind() == Token.Kind.WORD && !t.isOneOf("true", "false", "null", "now"));
  }

  /** Whether it is so for what each of the serial orders leaves, and what was left here. */
  private boolean isOf(Outcome got, BiPredicate<Outcome, Outcome> compared) {
    return !finding.expected().isEmpty()
        && finding.expected().stream().allMatch(e -> compared.test(e.outcome(), got));
  }

  private static boolean hasMoreRows(Outcome one, Outcome other) {
    return one.tables().stream()
        .anyMatch(
            table ->
                other.tables().stream()
                    .filter(twin -> twin.table().equals(table.table()))
                    .anyMatch(twin -> twin.rows().size() < table.rows().size()));
  }

  private static boolean hasMoreEffects(Outcome one, Outcome other) {
    return one.effects().stream()
        .map(Outcome.Effect::name)
        .anyMatch(name -> count(other, name) < count(one, name));
  }

  private static long count(Outcome outcome, String effect) {
    return outcome.effects().stream().filter(e -> e.name().equals(effect)).count();
  }

  /** The entries that did what one before the crash had lastingly done, and which one that was. */
  Map<Integer, Integer> repetitions() {
    return repetitions;
  }

  /** Whether nothing was done twice, and a part never. */
  boolean leftHalfDone() {
    return halfDone;
  }

  /** Where it crashed. */
  Optional<Entry> crash() {
    return finding.run().entries().stream()
        .filter(entry -> entry.fate().before() || entry.fate().after())
        .findFirst();
  }

  /** What it did the second time; nothing if it has coped with the crash by itself. */
  Stream<Entry> again() {
    return finding.run().entries().stream().filter(entry -> entry.life() > 1);
  }

  /** What had lastingly been done before the crash, the last of it. */
  Optional<PerformedStep> lastBefore() {
    return changes()
        .filter(change -> change.entry().life() == 1)
        .filter(change -> crash().map(c -> c.actor() == change.actor()).orElse(false))
        .reduce((one, next) -> next);
  }

  /** What it looked at first the second time. */
  Optional<PerformedStep> firstLook() {
    return history.reads().filter(read -> read.entry().life() > 1).findFirst();
  }

  /** Whether there is anything outside of the database in it. */
  boolean hasEffects() {
    return changes().anyMatch(PerformedStep::isEffect)
        || finding.expected().stream().anyMatch(e -> !e.outcome().effects().isEmpty());
  }

  /** Whether it looks at what it changes. */
  boolean looksAtItsOwn() {
    return history.reads().anyMatch(read -> changes().anyMatch(change -> change.changesWhat(read)));
  }

  /** How many transactions it needs for all that it changes. */
  long transactions() {
    int last = finding.run().entries().stream().mapToInt(Entry::life).max().orElse(1);
    return changes()
        .filter(change -> !change.isEffect() && change.entry().life() == last)
        .map(change -> change.entry().step().transaction())
        .distinct()
        .count();
  }
}
