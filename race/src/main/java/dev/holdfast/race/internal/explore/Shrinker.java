package dev.holdfast.race.internal.explore;

import dev.holdfast.race.internal.explore.FindingSearch.FoundRun;
import dev.holdfast.race.internal.model.Fate;
import dev.holdfast.race.internal.model.Move;
import dev.holdfast.race.internal.run.ActorSpec;
import dev.holdfast.race.internal.run.Setting;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** Looks for a simpler run that is wrong in the same way. */
final class Shrinker {
  private static final int MAX_RUNS = 400;
  private static final Comparator<Move> BY_ACTOR = Comparator.comparingInt(Move::actor);

  /** The simplest one, with its own serial orders. */
  record ShrunkRun(Setting setting, Serial serial, Judge judge, FoundRun found) {}

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

  ShrunkRun shrink(ShrunkRun whole) throws SQLException {
    ShrunkRun fewest = whole;
    for (ShrunkRun fewer = withFewerActors(whole); fewer != null; fewer = withFewerActors(fewer)) {
      fewest = fewer;
    }
    return withFewerSwitches(interrupted(fewest));
  }

  /** Nothing is simpler than this: one stops, all others run to their ends, then it continues. */
  private ShrunkRun interrupted(ShrunkRun from) throws SQLException {
    List<Move> moves = from.found.attempt().record().moves();
    int best = blocks(moves).size();
    if (best <= from.setting.actors().size() + 1
        || moves.stream().anyMatch(move -> move.fate() != Fate.GO)) {
      return from;
    }
    for (int actor = 0; actor < from.setting.actors().size(); actor++) {
      int one = actor;
      List<Move> own = moves.stream().filter(move -> move.actor() == one).toList();
      List<Move> others =
          moves.stream().filter(move -> move.actor() != one).sorted(BY_ACTOR).toList();
      for (int stop = 1; stop < own.size() && System.nanoTime() < end; stop++) {
        List<Move> tried = new ArrayList<>(own.subList(0, stop));
        tried.addAll(others);
        tried.addAll(own.subList(stop, own.size()));
        FoundRun found = sameWith(tried, from);
        if (found != null && blocks(found.attempt().record().moves()).size() < best) {
          return new ShrunkRun(from.setting, from.serial, from.judge, found);
        }
      }
    }
    return from;
  }

  private @Nullable FoundRun sameWith(List<Move> moves, ShrunkRun from) throws SQLException {
    Attempt attempt = runner.run(from.setting, Guides.roughly(moves));
    Judge.Verdict verdict = from.judge.of(attempt);
    return verdict == null || verdict.kind() != from.found.verdict().kind()
        ? null
        : new FoundRun(attempt, verdict, from.found.run(), from.found.millis());
  }

  private @Nullable ShrunkRun withFewerActors(ShrunkRun from) throws SQLException {
    List<ActorSpec> all = from.setting.actors();
    if (all.size() <= 2) {
      return null;
    }
    for (int left = all.size() - 1; left >= 0 && System.nanoTime() < end; left--) {
      List<ActorSpec> fewer = new ArrayList<>(all);
      fewer.remove(left);
      ShrunkRun found = hunt(from.setting.with(fewer), from.found.verdict());
      if (found != null) {
        return found;
      }
    }
    return null;
  }

  private @Nullable ShrunkRun hunt(Setting setting, Judge.Verdict same) throws SQLException {
    try {
      Serial serial = Serial.of(task, setting, runner);
      Judge judge = new Judge(task, setting, serial);
      FoundRun found =
          new FindingSearch(setting, runner, judge)
              .until(-1, MAX_RUNS, end, new Random(task.seed()))
              .found();
      return found == null || found.verdict().kind() != same.kind()
          ? null
          : new ShrunkRun(setting, serial, judge, found);
    } catch (Unexplorable notWithout) {
      return null;
    }
  }

  /** Each block of steps of one actor is tried behind or before its neighbour. */
  private ShrunkRun withFewerSwitches(ShrunkRun from) throws SQLException {
    FoundRun best = from.found;
    boolean better = true;
    while (better) {
      better = false;
      List<List<Move>> blocks = blocks(best.attempt().record().moves());
      for (int at = 1; at + 1 < blocks.size() && !better && System.nanoTime() < end; at++) {
        List<List<Move>> swapped = new ArrayList<>(blocks);
        List<Move> moved = swapped.remove(at);
        swapped.add(at + 1, moved);
        List<Move> moves = swapped.stream().flatMap(List::stream).toList();
        FoundRun found = sameWith(moves, from);
        if (found != null && blocks(found.attempt().record().moves()).size() < blocks.size()) {
          best = found;
          better = true;
        }
      }
    }
    return new ShrunkRun(from.setting, from.serial, from.judge, best);
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
