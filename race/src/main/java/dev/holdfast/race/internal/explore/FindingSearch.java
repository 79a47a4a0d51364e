package dev.holdfast.race.internal.explore;

import dev.holdfast.race.internal.model.Outcome;
import dev.holdfast.race.internal.model.RunRecord;
import dev.holdfast.race.internal.model.RunRecord.End;
import dev.holdfast.race.internal.run.Guide;
import dev.holdfast.race.internal.run.Setting;
import dev.holdfast.transaction.SqlError;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** Makes runs until one is wrong, all are made, or the time is up. */
final class FindingSearch {
  /** One that is wrong. */
  record FoundRun(Attempt attempt, Judge.Verdict verdict, int run, long millis) {}

  /** An actor that was refused by the database or, without an error, by a write of its own. */
  record Refusal(int actor, @Nullable SqlError error) {}

  private static final double SYSTEMATIC = 0.7;

  private final Setting setting;
  private final Runner runner;
  private final Judge judge;
  private final Search search;
  private final Map<Refusal, Integer> refusals = new LinkedHashMap<>();
  private final SuspiciousSteps oddities = new SuspiciousSteps();
  private final int firstRun;
  private int prunedRuns;
  private int randomRuns;
  private int diverged;
  private boolean exhaustive;
  private boolean timeIsUp;
  private boolean waitsPresumed;
  private @Nullable FoundRun found;

  FindingSearch(Setting setting, Runner runner, Judge judge) {
    this.setting = setting;
    this.runner = runner;
    this.judge = judge;
    this.search = new Search(setting.kinds(), /* prune= */ true);
    this.firstRun = runner.runs();
  }

  /**
   * Hunts.
   *
   * @param bound the most preemptions; -1 for no bound
   * @param maxRuns likewise
   * @param end when to stop, of {@link System#nanoTime}
   */
  FindingSearch until(int bound, int maxRuns, long end, Random chance) throws SQLException {
    long begin = System.nanoTime();
    long systematic = begin + (long) ((end - begin) * (bound < 0 ? SYSTEMATIC : 1.0));
    while (System.nanoTime() < systematic && runner.runs() - firstRun < maxRuns) {
      Guide guide = search.next(bound);
      if (guide == null) {
        exhaustive = search.next(-1) == null && diverged == 0;
        return this;
      }
      if (look(guide, begin)) {
        return this;
      }
    }
    while (bound < 0 && System.nanoTime() < end && runner.runs() - firstRun < maxRuns) {
      randomRuns++;
      if (look(Guides.random(chance), begin)) {
        return this;
      }
    }
    timeIsUp = true;
    return this;
  }

  private boolean look(Guide guide, long begin) throws SQLException {
    Attempt attempt = runner.run(setting, guide);
    oddities.see(attempt.record());
    Outcome outcome = attempt.record().outcome();
    if (outcome == null) {
      prunedRuns++;
    } else {
      noteRefusals(attempt.record(), outcome);
    }
    if (attempt.record().end() == End.DIVERGED) {
      diverged++;
    }
    waitsPresumed |= attempt.record().entries().stream().anyMatch(entry -> entry.presumed());
    Judge.Verdict verdict = judge.of(attempt);
    if (verdict == null) {
      return false;
    }
    found =
        new FoundRun(
            attempt, verdict, runner.runs() - firstRun, (System.nanoTime() - begin) / 1_000_000);
    return true;
  }

  private void noteRefusals(RunRecord run, Outcome outcome) {
    for (int actor = 0; actor < outcome.ends().size(); actor++) {
      Throwable error = outcome.ends().get(actor).error();
      SqlError refusal = Serial.refusal(error);
      if (refusal != null || (error != null && GuardRejections.refused(actor, run))) {
        refusals.merge(new Refusal(actor, refusal), 1, Integer::sum);
      }
    }
  }

  @Nullable FoundRun found() {
    return found;
  }

  boolean exhaustive() {
    return exhaustive;
  }

  /** Up to how many preemptions everything was looked at; -1 for not even without any. */
  int preemptionBound() {
    return search.level() - 1;
  }

  int prunedRuns() {
    return prunedRuns;
  }

  /** How many runs took another course than planned, because the database chose the next actor. */
  int diverged() {
    return diverged;
  }

  int randomRuns() {
    return randomRuns;
  }

  boolean waitsPresumed() {
    return waitsPresumed;
  }

  /** Whether the time was over before all orders with one preemption were made. */
  boolean isShort() {
    return found == null && !exhaustive && timeIsUp && preemptionBound() < 1;
  }

  SuspiciousSteps oddities() {
    return oddities;
  }

  /** The actors that the database rejected, with which error, and in how many runs. */
  Map<Refusal, Integer> refusals() {
    return refusals;
  }
}
