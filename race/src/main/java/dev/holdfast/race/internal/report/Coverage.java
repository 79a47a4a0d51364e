package dev.holdfast.race.internal.report;

import dev.holdfast.race.internal.model.Exploration;
import dev.holdfast.race.internal.model.Finding;
import java.util.Locale;

/** Describes what was explored and what was not. */
final class Coverage {
  private Coverage() {}

  static String of(Exploration exploration) {
    StringBuilder text = new StringBuilder(Words.count(exploration.runs(), "run"));
    if (exploration.prunedRuns() > 0) {
      text.append(" (").append(exploration.prunedRuns()).append(" pruned)");
    }
    text.append(" in ").append(Words.millis(exploration.millis()));
    if (exploration.millis() > 0 && exploration.runs() > 1) {
      double perSecond = exploration.runs() * 1000.0 / exploration.millis();
      text.append(String.format(Locale.ROOT, ", %.0f runs/s", perSecond));
    }
    return text.append("; ").append(extent(exploration)).toString();
  }

  /** That nothing was found. */
  static String nothing(Exploration exploration) {
    return exploration.crashTest() ? "No crash defect found" : "No race found";
  }

  /** What to write on the test, to make just this run again. */
  static String replay(Exploration exploration, Finding finding) {
    String token = Words.plain(finding.replayToken()).replace("\\", "\\\\").replace("\"", "\\\"");
    return (exploration.crashTest() ? "@CrashTest" : "@RaceTest") + "(replay = \"" + token + "\")";
  }

  static String proof(Finding finding) {
    return finding.reproduced()
        + "/"
        + finding.repetitions()
        + "; found in run "
        + finding.foundInRun()
        + ", after "
        + Words.millis(finding.foundAfterMillis());
  }

  private static String extent(Exploration exploration) {
    String random =
        exploration.randomRuns() > 0
            ? ", and " + exploration.randomRuns() + " random runs with seed " + exploration.seed()
            : "";
    if (exploration.finding() != null) {
      return "stopped at the finding" + random;
    }
    if (exploration.exhaustive()) {
      return exploration.crashTest()
          ? "all crash points are covered"
          : "all interleavings are covered";
    }
    return (exploration.preemptionBound() < 0
            ? "not even all interleavings without preemption are covered"
            : "not all interleavings are covered, only those with up to "
                + Words.count(exploration.preemptionBound(), "preemption"))
        + random;
  }
}
