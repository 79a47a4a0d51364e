package dev.holdfast.race.internal.run;

import dev.holdfast.race.internal.model.RunRecord.End;
import java.util.ArrayList;
import java.util.List;

/** What can be done when all are at a step, wait, or have ended. */
final class Situations {
  private Situations() {}

  static Guide.Situation of(List<ActorRun> actors, int last, StateKeys states) throws RunProblem {
    List<Integer> enabled = new ArrayList<>();
    List<Integer> polling = new ArrayList<>();
    List<Integer> crashable = new ArrayList<>();
    List<Integer> losable = new ArrayList<>();
    List<Boolean> started = new ArrayList<>();
    List<String> phases = new ArrayList<>();
    for (ActorRun actor : actors) {
      if (actor.canGo()) {
        enabled.add(actor.number);
      }
      if (actor.canGo() && actor.polling.waits()) {
        polling.add(actor.number);
      }
      if (actor.mayCrash()) {
        crashable.add(actor.number);
      }
      if (actor.mayLose()) {
        losable.add(actor.number);
      }
      started.add(actor.lives > 0);
      phases.add(actor.state());
    }
    if (enabled.isEmpty()) {
      throw new RunProblem(
          End.STUCK, "all actors wait for each other, and the database does not end it");
    }
    return new Guide.Situation(
        enabled, polling, last, started, crashable, losable, states.state(phases));
  }
}
