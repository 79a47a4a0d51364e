package dev.holdfast.race.internal.explore;

import dev.holdfast.race.internal.explore.Hunt.Found;
import dev.holdfast.race.internal.model.Fate;
import dev.holdfast.race.internal.model.Move;
import dev.holdfast.race.internal.run.ActorSpec;
import dev.holdfast.race.internal.run.Setting;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** Looks for a simpler run that is wrong in the same way. */
final class Shrinker {
  private static final int MOST_RUNS = 400;

  /** The simplest one, with its own serial orders. */
  record Shrunk(Setting setting, Serial serial, Judge judge, Found found) {}

  private final Task task;
  private final Runner runner;
  private final long end;

  /**
   * For one finding.
   *
   * @param end when to be content with what there is, of {@link System#nanoTime}
   */
  Shrinker(Task task, Runner runner, long end) {
    this.task = task;
    this.runner = runner;
    this.end = end;
  }

  Shrunk shrink(Shrunk whole) throws SQLException {
    Shrunk fewest = whole;
    for (Shrunk fewer = withFewerActors(whole); fewer != null; fewer = withFewerActors(fewer)) {
      fewest = fewer;
    }
    return withFewerSwitches(fewest);
  }

  private @Nullable Shrunk withFewerActors(Shrunk from) throws SQLException {
    List<ActorSpec> all = from.setting.actors();
    if (all.size() <= 2) {
      return null;
    }
    for (int left = all.size() - 1; left >= 0 && System.nanoTime() < end; left--) {
      List<ActorSpec> fewer = new ArrayList<>(all);
      fewer.remove(left);
      Shrunk found = hunt(from.setting.with(fewer), from.found.verdict());
      if (found != null) {
        return found;
      }
    }
    return null;
  }

  private @Nullable Shrunk hunt(Setting setting, Judge.Verdict same) throws SQLException {
    try {
      Serial serial = Serial.of(task, setting, runner);
      Judge judge = new Judge(task, setting, serial);
      Found found =
          new Hunt(setting, runner, judge)
              .until(-1, MOST_RUNS, end, new Random(task.seed()))
              .found();
      return found == null || found.verdict().kind() != same.kind()
          ? null
          : new Shrunk(setting, serial, judge, found);
    } catch (Unexplorable notWithout) {
      return null;
    }
  }

  /** Each block of steps of one actor is tried behind or before its neighbour. */
  private Shrunk withFewerSwitches(Shrunk from) throws SQLException {
    Found best = from.found;
    boolean better = true;
    while (better) {
      better = false;
      List<List<Move>> blocks = blocks(best.attempt().record().moves());
      for (int at = 1; at + 1 < blocks.size() && !better && System.nanoTime() < end; at++) {
        List<List<Move>> swapped = new ArrayList<>(blocks);
        List<Move> moved = swapped.remove(at);
        swapped.add(at + 1, moved);
        List<Move> moves = swapped.stream().flatMap(List::stream).toList();
        Attempt attempt = runner.run(from.setting, Guides.roughly(moves));
        Judge.Verdict verdict = from.judge.of(attempt);
        if (verdict != null
            && verdict.kind() == best.verdict().kind()
            && blocks(attempt.record().moves()).size() < blocks.size()) {
          best = new Found(attempt, verdict, best.run(), best.millis());
          better = true;
        }
      }
    }
    return new Shrunk(from.setting, from.serial, from.judge, best);
  }

  private static List<List<Move>> blocks(List<Move> moves) {
    List<List<Move>> blocks = new ArrayList<>();
    for (int at = 0; at < moves.size(); at++) {
      boolean same =
          at > 0
              && moves.get(at).actor() == moves.get(at - 1).actor()
              && moves.get(at).fate() == Fate.GO;
      if (!same) {
        blocks.add(new ArrayList<>());
      }
      blocks.get(blocks.size() - 1).add(moves.get(at));
    }
    return blocks;
  }
}
