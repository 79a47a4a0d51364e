package dev.holdfast.race.internal.run;

import dev.holdfast.race.internal.model.Entry;
import dev.holdfast.race.internal.model.Fate;
import dev.holdfast.race.internal.model.RunRecord.Deadlock;
import dev.holdfast.race.internal.model.Step;
import dev.holdfast.race.internal.model.StepResult;
import dev.holdfast.race.internal.run.ActorRun.Line;
import java.util.ArrayList;
import java.util.List;

/** The steps of a run in the order in which they were begun, while it is made. */
final class Timeline {
  private final List<Line> lines = new ArrayList<>();
  private final List<Deadlock> deadlocks = new ArrayList<>();

  Line begin(ActorRun actor, Step step, Fate fate) {
    Line line = new Line(lines.size() + 1, actor, step, fate);
    lines.add(line);
    return line;
  }

  void waits(Line line, List<Integer> forWhom, boolean presumed) {
    if (line.waitedFor.isEmpty()) {
      line.waitedFor = forWhom;
    }
    line.presumed |= presumed;
  }

  /** It resumes, before the next step begins. */
  void resumes(Line line) {
    line.resumedBefore = lines.size() + 1;
  }

  /** The database has ended this actor's transaction because these wait for each other. */
  void deadlock(ActorRun victim, List<ActorRun> all) {
    List<ActorRun> circle = new ArrayList<>();
    circle.add(victim);
    List<Integer> entries = new ArrayList<>();
    Line own = victim.open;
    entries.add(own == null ? 0 : own.number);
    int next = victim.number;
    for (int round = 0; round < all.size(); round++) {
      ActorRun waiter = waiterFor(next, all, circle);
      if (waiter == null) {
        break;
      }
      // the victim waits for the last one, which waits for the one before
      circle.add(1, waiter);
      Line line = waiter.open;
      entries.add(1, line == null ? 0 : line.number);
      next = waiter.number;
    }
    deadlocks.add(
        new Deadlock(circle.stream().map(actor -> actor.number).toList(), entries, victim.number));
  }

  private static @org.jspecify.annotations.Nullable ActorRun waiterFor(
      int blocker, List<ActorRun> all, List<ActorRun> known) {
    for (ActorRun actor : all) {
      if (actor.open != null && actor.waitsFor.contains(blocker) && !known.contains(actor)) {
        return actor;
      }
    }
    return null;
  }

  List<Deadlock> deadlocks() {
    return List.copyOf(deadlocks);
  }

  List<Entry> entries() {
    List<Entry> entries = new ArrayList<>();
    for (Line line : lines) {
      StepResult result = line.result;
      entries.add(
          new Entry(
              line.number,
              line.actor,
              line.index,
              line.life,
              line.step,
              result == null ? StepResult.done() : result,
              line.fate,
              line.waitedFor,
              line.resumedBefore,
              line.presumed));
    }
    return entries;
  }
}
