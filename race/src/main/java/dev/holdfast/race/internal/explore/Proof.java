package dev.holdfast.race.internal.explore;

import dev.holdfast.race.internal.explore.Shrinker.Shrunk;
import dev.holdfast.race.internal.model.Finding;
import java.sql.SQLException;

/**
 * What was found, run again and again: it must be the same each time, or else it is the code that
 * does not do the same, which is no race.
 *
 * @param same how many of them showed it
 * @param times how often it was run
 */
record Proof(int same, int times) {
  private static final int TIMES = 10;

  static Proof of(Shrunk shrunk, Runner runner) throws SQLException {
    Attempt found = shrunk.found().attempt();
    // each run of one that never ends takes seconds
    int times = shrunk.found().verdict().kind() == Finding.Kind.STUCK ? 1 : TIMES;
    int same = 0;
    for (int i = 0; i < times; i++) {
      Attempt again = runner.run(shrunk.setting(), Guides.exactly(found.record().moves()));
      Judge.Verdict verdict = shrunk.judge().of(again);
      if (verdict != null && verdict.kind() == shrunk.found().verdict().kind()) {
        same++;
      } else {
        requireReason(found, again, shrunk);
      }
    }
    shrunk.serial().requireStill();
    return new Proof(same, times);
  }

  /** Only where somebody waits, the database may choose how it goes on. */
  private static void requireReason(Attempt found, Attempt again, Shrunk shrunk) {
    if (hasWaits(found) || hasWaits(again)) {
      return;
    }
    SerialChecks.sameSteps(found, again, shrunk.setting());
    if (found.isComplete() && again.isComplete() && !shrunk.serial().same(found, again)) {
      throw new Unexplorable(
          "the code is not deterministic: the same steps in the same order left different contents"
              + " or results. A random number, a time or something that it keeps between runs"
              + " decides; make it the same in each run");
    }
  }

  private static boolean hasWaits(Attempt attempt) {
    return attempt.record().entries().stream().anyMatch(entry -> !entry.waitedFor().isEmpty());
  }
}
