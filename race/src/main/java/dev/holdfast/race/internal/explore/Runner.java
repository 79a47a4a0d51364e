package dev.holdfast.race.internal.explore;

import dev.holdfast.race.internal.database.Database;
import dev.holdfast.race.internal.model.Entry;
import dev.holdfast.race.internal.model.Outcome;
import dev.holdfast.race.internal.model.RunRecord;
import dev.holdfast.race.internal.model.RunRecord.End;
import dev.holdfast.race.internal.model.StepKind;
import dev.holdfast.race.internal.model.TableContent;
import dev.holdfast.race.internal.run.Guide;
import dev.holdfast.race.internal.run.Injection;
import dev.holdfast.race.internal.run.Run;
import dev.holdfast.race.internal.run.Setting;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** Makes runs, each from the same beginning, and looks at what they leave. */
final class Runner {
  private final Task task;
  private final Database database;
  private final Set<String> touched = new TreeSet<>();
  private final List<TableContent> given = new ArrayList<>();
  private int runs;

  Runner(Task task, Database database) {
    this.task = task;
    this.database = database;
  }

  int runs() {
    return runs;
  }

  Database database() {
    return database;
  }

  /** What the setup has left in the tables that were changed by any run until now. */
  Outcome given() {
    return new Outcome(List.of(), List.copyOf(given), List.of());
  }

  Attempt run(Setting setting, Guide guide) throws SQLException {
    return run(setting, guide, List.of());
  }

  Attempt run(Setting setting, Guide guide, List<Injection> injections) throws SQLException {
    database.reset(touched);
    runs++;
    Run.Made made = Run.make(setting, guide, injections);
    RunRecord record = made.record();
    Set<String> added = changedBy(record);
    added.removeAll(touched);
    touched.addAll(added);
    List<String> broken = List.of();
    if (record.end() == End.COMPLETE) {
      Outcome outcome = new Outcome(made.ends(), database.read(touched), made.effects());
      record =
          new RunRecord(
              record.moves(),
              record.entries(),
              record.end(),
              record.problem(),
              record.deadlocks(),
              outcome);
      broken = Invariants.broken(task, database, made.effects());
    }
    if (!added.isEmpty()) {
      database.reset(touched);
      given.addAll(database.read(added));
    }
    return new Attempt(record, broken);
  }

  private Set<String> changedBy(RunRecord record) {
    Set<String> changed = new HashSet<>();
    for (Entry entry : record.entries()) {
      StepKind kind = entry.step().kind();
      if (kind == StepKind.STATEMENT || kind == StepKind.BATCH) {
        changed.addAll(database.touched(entry.step().text(), /* write= */ true));
      }
    }
    return changed;
  }

  /** Leaves the tables as the setup left them. */
  void cleanUp() throws SQLException {
    database.reset(touched);
  }

  /** The tables that any run until now has possibly changed. */
  Set<String> touched() {
    return touched;
  }
}
