package dev.holdfast.race.internal.report;

import dev.holdfast.race.internal.model.Entry;
import dev.holdfast.race.internal.model.RunRecord;
import dev.holdfast.race.internal.model.RunRecord.Deadlock;
import dev.holdfast.race.internal.model.StepKind;
import java.util.List;
import java.util.Optional;

/** The circle of a deadlock. */
final class DeadlockCycle {
  private DeadlockCycle() {}

  /**
   * The first one of a run. A database may end one of them before it was seen that the other waits,
   * too: that is the next statement of whom the first one waited for.
   */
  static Optional<Deadlock> of(RunRecord run) {
    return run.deadlocks().stream().findFirst().map(deadlock -> completed(deadlock, run.entries()));
  }

  private static Deadlock completed(Deadlock deadlock, List<Entry> entries) {
    if (deadlock.waiters().size() != 1 || deadlock.entries().size() != 1) {
      return deadlock;
    }
    int waiting = deadlock.entries().get(0);
    return entries.stream()
        .filter(entry -> entry.number() == waiting && !entry.waitedFor().isEmpty())
        .findFirst()
        .map(
            entry -> {
              int other = entry.waitedFor().get(0);
              int number =
                  entries.stream()
                      .filter(e -> e.actor() == other && e.number() > waiting)
                      .filter(e -> e.step().kind() == StepKind.STATEMENT)
                      .mapToInt(Entry::number)
                      .findFirst()
                      .orElse(0);
              return new Deadlock(
                  List.of(entry.actor(), other), List.of(waiting, number), deadlock.victim());
            })
        .orElse(deadlock);
  }
}
