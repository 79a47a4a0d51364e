package dev.holdfast.race.internal.explore;

import dev.holdfast.race.internal.model.ActorEnd;
import dev.holdfast.race.internal.model.Entry;
import dev.holdfast.race.internal.model.Outcome;
import dev.holdfast.race.internal.model.RunRecord;
import dev.holdfast.race.internal.model.RunRecord.End;
import dev.holdfast.race.internal.run.Setting;
import dev.holdfast.transaction.SqlError;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Refuses, with what to do, what already goes wrong when the actors run one after the other. */
final class SerialChecks {
  private SerialChecks() {}

  static void complete(Attempt attempt, Setting setting) {
    RunRecord record = attempt.record();
    if (record.end() == End.COMPLETE) {
      return;
    }
    String problem = String.valueOf(record.problem());
    if (record.end() == End.POOL
        || record.end() == End.UNKNOWN_CONNECTION
        || record.end() == End.INTERRUPTED) {
      throw new Unexplorable(problem);
    }
    throw new Unexplorable(
        "the actors do not finish even one after the other ("
            + order(attempt, setting)
            + "): "
            + problem
            + ". Fix that first: it is not a race");
  }

  static boolean areSame(Attempt first, Attempt second) {
    return texts(first).equals(texts(second));
  }

  private static List<String> texts(Attempt attempt) {
    return attempt.record().entries().stream().map(entry -> entry.step().text()).toList();
  }

  /** Two runs of the same order must make the same steps. */
  static void sameSteps(Attempt first, Attempt second, Setting setting) {
    List<Entry> one = first.record().entries();
    List<Entry> other = second.record().entries();
    for (int i = 0; i < Math.max(one.size(), other.size()); i++) {
      boolean same =
          i < Math.min(one.size(), other.size())
              && Shape.of(one.get(i).step()).equals(Shape.of(other.get(i).step()));
      if (!same) {
        String was = i < one.size() ? one.get(i).step().text() : "nothing";
        String is = i < other.size() ? other.get(i).step().text() : "nothing";
        int actor = i < one.size() ? one.get(i).actor() : other.get(i).actor();
        throw new NotDeterministic(
            "in the same order, as step "
                + (i + 1)
                + " "
                + setting.names().get(actor)
                + " made\n    "
                + was
                + "\n  and the second time\n    "
                + is
                + ended(second, actor)
                + "\n"
                + "  The code depends on state kept between runs (a cache, a counter, a static"
                + " field), a random number or the time; make it the same in each run");
      }
    }
  }

  private static String ended(Attempt attempt, int actor) {
    Throwable error = errorIn(attempt, actor);
    return error == null ? "" : ", and ended with " + error;
  }

  static void sound(Task task, Setting setting, List<Attempt> serial) {
    for (Attempt attempt : serial) {
      if (!attempt.broken().isEmpty()) {
        throw new Unexplorable(
            "the invariant '"
                + attempt.broken().get(0)
                + "' does not hold even when the actors run one after the other ("
                + order(attempt, setting)
                + "); fix the invariant or the code: this is not a race"
                + errors(attempt, setting));
      }
    }
    for (int actor = 0; actor < setting.actors().size(); actor++) {
      checkActor(actor, setting, serial);
    }
  }

  /** Refuses actors that have made no step in any of these runs. */
  static void seen(Setting setting, List<Attempt> serial) {
    for (int actor = 0; actor < setting.actors().size(); actor++) {
      checkSeen(actor, setting, serial);
    }
  }

  private static void checkSeen(int actor, Setting setting, List<Attempt> serial) {
    String name = setting.names().get(actor);
    int number = actor;
    if (serial.stream().noneMatch(attempt -> hasSteps(attempt, number))) {
      throw new Unexplorable(
          name
              + " has made no step that the race finder could see"
              + (errorIn(serial.get(0), actor) == null ? "" : ": " + errorIn(serial.get(0), actor))
              + ". Its code must use the data source that the actor is given, or one of"
              + " RaceDataSource.wrap(…); a connection from elsewhere, or one that was taken before"
              + " the exploration, is not controlled"
              + OtherThreads.hint(setting.otherThreads()));
    }
  }

  private static void checkActor(int actor, Setting setting, List<Attempt> serial) {
    String name = setting.names().get(actor);
    Throwable always = null;
    for (Attempt attempt : serial) {
      always = errorIn(attempt, actor);
      if (always == null) {
        return;
      }
    }
    SqlError kind = SqlError.of(always);
    boolean brokenSql =
        kind == SqlError.OBJECT_NOT_FOUND
            || (kind == SqlError.UNKNOWN && SqlStates.isSyntaxOrAccess(always));
    if (brokenSql || serial.stream().allMatch(attempt -> allFail(attempt, setting))) {
      throw new Unexplorable(
          name
              + " fails in every order, so it is not a race; fix its code or the setup first: "
              + always,
          always);
    }
  }

  private static boolean allFail(Attempt attempt, Setting setting) {
    for (int actor = 0; actor < setting.actors().size(); actor++) {
      if (errorIn(attempt, actor) == null) {
        return false;
      }
    }
    return true;
  }

  private static boolean hasSteps(Attempt attempt, int actor) {
    return attempt.record().entries().stream().anyMatch(entry -> entry.actor() == actor);
  }

  private static @Nullable Throwable errorIn(Attempt attempt, int actor) {
    Outcome outcome = attempt.record().outcome();
    return outcome == null ? null : outcome.ends().get(actor).error();
  }

  private static String order(Attempt attempt, Setting setting) {
    return String.join(
        ", then ",
        attempt.record().moves().stream()
            .map(move -> setting.names().get(move.actor()))
            .distinct()
            .toList());
  }

  private static String errors(Attempt attempt, Setting setting) {
    Outcome outcome = attempt.record().outcome();
    StringBuilder errors = new StringBuilder();
    if (outcome != null) {
      for (int actor = 0; actor < outcome.ends().size(); actor++) {
        ActorEnd end = outcome.ends().get(actor);
        if (end.error() != null) {
          errors.append("; ").append(setting.names().get(actor)).append(" threw ");
          errors.append(end.error());
        }
      }
    }
    return errors.toString();
  }
}
