package dev.holdfast.race.internal.run;

import dev.holdfast.race.internal.run.ActorRun.Phase;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Circles in which actors wait for each other, as far as it is known for whom each of them waits.
 */
final class WaitCycles {
  private WaitCycles() {}

  static boolean among(List<ActorRun> actors) {
    return actors.stream().anyMatch(actor -> reaches(actor, actor, actors, new HashSet<>()));
  }

  private static boolean reaches(
      ActorRun from, ActorRun goal, List<ActorRun> actors, Set<Integer> passed) {
    if (from.phase != Phase.WAITING || from.waitsForSome || !passed.add(from.number)) {
      return false;
    }
    return from.waitsFor.stream()
        .anyMatch(next -> next == goal.number || reaches(actors.get(next), goal, actors, passed));
  }
}
