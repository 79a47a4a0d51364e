package dev.holdfast.race.internal.report;

import dev.holdfast.race.internal.model.ActorEnd;
import dev.holdfast.race.internal.model.Cell;
import dev.holdfast.race.internal.model.Entry;
import dev.holdfast.race.internal.model.Exploration;
import dev.holdfast.race.internal.model.Fate;
import dev.holdfast.race.internal.model.Finding;
import dev.holdfast.race.internal.model.Outcome;
import dev.holdfast.race.internal.model.RunRecord;
import dev.holdfast.race.internal.model.Step;
import dev.holdfast.race.internal.model.StepKind;
import dev.holdfast.race.internal.model.StepResult;
import dev.holdfast.race.internal.model.TableContent;
import dev.holdfast.transaction.Isolation;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A finding, written down entry by entry. */
final class Story {
  private final List<String> actors;
  private final List<Entry> entries = new ArrayList<>();
  private final List<Finding.Expected> expected = new ArrayList<>();
  private final List<Finding.LevelTrial> levels = new ArrayList<>();
  private final List<RunRecord.Deadlock> deadlocks = new ArrayList<>();
  private final int[] transactions;
  private final int[] lives;
  private Finding.Kind kind = Finding.Kind.NOT_SERIALIZABLE;
  private RunRecord.End end = RunRecord.End.COMPLETE;
  private String broken = "";
  private @Nullable String problem;
  private @Nullable Outcome got;
  private List<Integer> waitsFor = List.of();
  private int resumedBefore;
  private Fate fate = Fate.GO;
  private boolean crashTest;
  private List<String> warnings = List.of();
  private List<String> notes = List.of();
  private String isolation = "READ COMMITTED";

  Story(String... actors) {
    this.actors = List.of(actors);
    this.transactions = new int[actors.length];
    this.lives = new int[actors.length];
    Arrays.fill(transactions, 1);
    Arrays.fill(lives, 1);
  }

  Story kind(Finding.Kind kind, String broken) {
    this.kind = kind;
    this.broken = broken;
    this.crashTest = kind == Finding.Kind.NOT_IDEMPOTENT;
    return this;
  }

  Story end(RunRecord.End end, String problem) {
    this.end = end;
    this.problem = problem;
    return this;
  }

  Story isolation(String level) {
    this.isolation = level;
    return this;
  }

  /** The next entry waits for somebody, and goes on before another entry. */
  Story waiting(int forActor, int resumedBefore) {
    this.waitsFor = List.of(forActor);
    this.resumedBefore = resumedBefore;
    return this;
  }

  /** What happens to the next entry. */
  Story fate(Fate fate) {
    this.fate = fate;
    return this;
  }

  Story secondLife(int actor) {
    lives[actor]++;
    transactions[actor]++;
    return this;
  }

  /** A query that gives one row with one column; none if {@code value} is null. */
  Story reads(int actor, String sql, String label, @Nullable String value, String... params) {
    StepResult result = StepResult.query();
    if (value != null) {
      StepResult.RowRead row = result.nextRow();
      row.labels().add(label);
      row.values().add(value);
    }
    return add(actor, step(StepKind.STATEMENT, actor, sql, false, true, params), result);
  }

  Story queries(int actor, StepResult result, String sql, String... params) {
    return add(actor, step(StepKind.STATEMENT, actor, sql, false, true, params), result);
  }

  Story changes(int actor, int rows, String sql, String... params) {
    return add(
        actor,
        step(StepKind.STATEMENT, actor, sql, false, false, params),
        StepResult.updated(rows));
  }

  Story fails(int actor, Throwable error, String sql, String... params) {
    return add(
        actor,
        step(StepKind.STATEMENT, actor, sql, false, false, params),
        StepResult.failed(error));
  }

  Story batch(int actor, int rows, String sql, String... params) {
    return add(
        actor, step(StepKind.BATCH, actor, sql, false, false, params), StepResult.updated(rows));
  }

  Story commits(int actor) {
    return ends(actor, StepKind.COMMIT, "COMMIT", false);
  }

  Story autocommits(int actor) {
    return ends(actor, StepKind.COMMIT, "COMMIT", true);
  }

  Story rollsBack(int actor) {
    return ends(actor, StepKind.ROLLBACK, "ROLLBACK", false);
  }

  private Story ends(int actor, StepKind kind, String text, boolean implicit) {
    add(actor, step(kind, actor, text, implicit, false), StepResult.done());
    transactions[actor]++;
    return this;
  }

  Story effect(int actor, String name) {
    return add(actor, Step.point(StepKind.EFFECT, name, "Shop.java:77"), StepResult.done());
  }

  Story point(int actor, String name) {
    return add(actor, Step.point(StepKind.POINT, name, "Shop.java:78"), StepResult.done());
  }

  private Step step(
      StepKind kind, int actor, String text, boolean implicit, boolean plain, String... params) {
    String source = "Shop.java:" + (40 + Math.abs(text.hashCode() % 30));
    return new Step(kind, text, List.of(params), 1, transactions[actor], implicit, plain, source);
  }

  private Story add(int actor, Step step, StepResult result) {
    int index = (int) entries.stream().filter(e -> e.actor() == actor).count();
    entries.add(
        new Entry(
            entries.size() + 1,
            actor,
            index,
            lives[actor],
            step,
            result,
            fate,
            waitsFor,
            resumedBefore,
            false));
    waitsFor = List.of();
    resumedBefore = 0;
    fate = Fate.GO;
    return this;
  }

  Story deadlock(List<Integer> waiters, List<Integer> numbers, int victim) {
    deadlocks.add(new RunRecord.Deadlock(waiters, numbers, victim));
    return this;
  }

  Story got(Outcome outcome) {
    this.got = outcome;
    return this;
  }

  Story expected(Outcome outcome, String... order) {
    expected.add(new Finding.Expected(List.of(order), outcome));
    return this;
  }

  Story level(Isolation level, boolean helps, String how) {
    levels.add(new Finding.LevelTrial(level, helps, how));
    return this;
  }

  Story remarks(List<String> warnings, List<String> notes) {
    this.warnings = warnings;
    this.notes = notes;
    return this;
  }

  Exploration found() {
    RunRecord run = new RunRecord(List.of(), entries, end, problem, deadlocks, got);
    return exploration(
        new Finding(kind, broken, actors, run, expected, levels, 10, 10, "HF1:ABBA-7Q", 4, 9));
  }

  Exploration nothing() {
    return exploration(null);
  }

  private Exploration exploration(@Nullable Finding finding) {
    return new Exploration(
        "ShopRaceTest.couponIsUsedOnce",
        "PostgreSQL 18.6",
        isolation,
        actors,
        crashTest,
        41,
        30,
        finding == null,
        2,
        0,
        42,
        180,
        warnings,
        notes,
        finding);
  }

  static Outcome outcome(List<String> results, TableContent... tables) {
    return new Outcome(results.stream().map(Story::end).toList(), List.of(tables), List.of());
  }

  private static ActorEnd end(String result) {
    return new ActorEnd(result.isEmpty() ? Cell.NULL : new Cell(Cell.Kind.OTHER, result), null, -1);
  }

  /** Rows as texts with commas between; numbers are numbers. */
  static TableContent table(String name, String columns, String... rows) {
    return new TableContent(
        name, List.of(columns.split(",", -1)), Arrays.stream(rows).map(row -> cells(row)).toList());
  }

  private static List<Cell> cells(String row) {
    return Arrays.stream(row.split(",", -1))
        .map(v -> new Cell(v.matches("-?\\d+") ? Cell.Kind.NUMBER : Cell.Kind.TEXT, v))
        .toList();
  }
}
