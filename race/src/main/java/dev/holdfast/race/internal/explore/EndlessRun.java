package dev.holdfast.race.internal.explore;

import dev.holdfast.race.internal.explore.FindingSearch.FoundRun;
import dev.holdfast.race.internal.model.Entry;
import dev.holdfast.race.internal.model.Finding;
import dev.holdfast.race.internal.model.RunRecord;
import java.util.List;

/** A run in which an actor tries again and again: its beginning shows it. */
final class EndlessRun {
  private static final int SHOWN = 12;

  private EndlessRun() {}

  static boolean isEndless(Judge.Verdict verdict) {
    return verdict.kind() == Finding.Kind.LIVELOCK;
  }

  /** The run, without the most of what one does over and over after the others' last step. */
  static RunRecord shortened(FoundRun found) {
    RunRecord run = found.attempt().record();
    if (!isEndless(found.verdict()) || run.moves().isEmpty()) {
      return run;
    }
    int endless = run.moves().get(run.moves().size() - 1).actor();
    List<Entry> entries = run.entries();
    int alone = entries.size();
    while (alone > 0 && entries.get(alone - 1).actor() == endless) {
      alone--;
    }
    int dropped = entries.size() - Math.min(entries.size(), alone + SHOWN);
    return new RunRecord(
        run.moves().subList(0, Math.max(1, run.moves().size() - dropped)),
        entries.subList(0, entries.size() - dropped),
        run.end(),
        run.problem(),
        run.deadlocks(),
        run.outcome());
  }
}
