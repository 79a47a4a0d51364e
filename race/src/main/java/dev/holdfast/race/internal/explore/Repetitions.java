package dev.holdfast.race.internal.explore;

import dev.holdfast.race.internal.explore.Shrinker.ShrunkRun;
import dev.holdfast.race.internal.model.Entry;
import dev.holdfast.race.internal.model.Finding;
import dev.holdfast.race.internal.model.RunRecord;
import dev.holdfast.race.internal.run.Guide;
import java.sql.SQLException;
import java.util.List;

/**
 * How many of some repetitions of a run showed the same.
 *
 * @param millisEach how long one takes
 */
record Repetitions(int same, int all, long millisEach) {
  /** Only the run itself. */
  static final Repetitions NONE = new Repetitions(1, 1, 0);

  private static final int MIN = 2;

  /**
   * Makes the run again and again.
   *
   * @param times how often, if there is time for it
   * @param end when to stop, of {@link System#nanoTime}
   * @throws Unexplorable if the code does not do the same again: then not the order decides
   */
  static Repetitions of(ShrunkRun shrunk, Runner runner, int times, long end) throws SQLException {
    RunRecord first = shrunk.found().attempt().record();
    long begin = System.nanoTime();
    int same = 0;
    int made = 0;
    while (made < times && (made < MIN || System.nanoTime() < end)) {
      made++;
      Attempt again = runner.run(shrunk.setting(), guide(shrunk, first));
      if (hasNoWaits(first) && hasNoWaits(again.record())) {
        SerialChecks.sameSteps(shrunk.found().attempt(), again, shrunk.setting());
      }
      Judge.Verdict verdict = shrunk.judge().of(again);
      if (verdict != null && verdict.kind() == shrunk.found().verdict().kind()) {
        same++;
      }
    }
    if (same == 0) {
      throw new Unexplorable(
          "the code is not deterministic: a failing run never failed again in "
              + made
              + " repetitions with the same order of steps. It depends on a random number, the time"
              + " or state kept between runs");
    }
    return new Repetitions(same, made, (System.nanoTime() - begin) / 1_000_000 / made);
  }

  /** Whom the database ends in a deadlock is its own choice, and then others go on. */
  private static Guide guide(ShrunkRun shrunk, RunRecord first) {
    return shrunk.found().verdict().kind() == Finding.Kind.DEADLOCK
        ? Guides.roughly(first.moves())
        : Guides.exactly(first.moves());
  }

  /** If an actor waits, the database also decides which actor continues. */
  private static boolean hasNoWaits(RunRecord run) {
    List<Entry> entries = run.entries();
    return entries.stream().allMatch(entry -> entry.waitedFor().isEmpty());
  }
}
