package dev.holdfast.race.internal.explore;

import dev.holdfast.race.internal.model.ActorEnd;
import dev.holdfast.race.internal.model.Finding.Kind;
import dev.holdfast.race.internal.model.Outcome;
import dev.holdfast.race.internal.model.RunRecord;
import dev.holdfast.race.internal.run.Setting;
import dev.holdfast.transaction.SqlError;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Says of a run whether it is right. */
final class Judge {
  /** What is wrong with a run. */
  record Verdict(Kind kind, String what) {}

  private final Task task;
  private final Setting setting;
  private final Serial serial;

  Judge(Task task, Setting setting, Serial serial) {
    this.task = task;
    this.setting = setting;
    this.serial = serial;
  }

  /**
   * Judges.
   *
   * @return null if nothing is wrong
   * @throws Unexplorable if the exploration cannot go on
   */
  @Nullable Verdict of(Attempt attempt) throws SQLException {
    RunRecord record = attempt.record();
    String problem = String.valueOf(record.problem());
    return switch (record.end()) {
      case PRUNED -> null;
      case LIVELOCK -> new Verdict(Kind.LIVELOCK, problem);
      case STUCK -> new Verdict(Kind.STUCK, problem);
      case JVM_LOCK -> new Verdict(Kind.JVM_LOCK, problem);
      case POOL, UNKNOWN_CONNECTION, INTERRUPTED -> throw new Unexplorable(problem);
      case DIVERGED -> {
        if (record.entries().stream().anyMatch(entry -> !entry.waitedFor().isEmpty())) {
          // whom the database ends in a deadlock, or lets go on first, is its own choice
          yield null;
        }
        throw new NotDeterministic(
            "after the same steps, it did something else than in an earlier run ("
                + problem
                + "). The code depends on state kept between runs, a random number or the time");
      }
      case COMPLETE -> complete(attempt);
    };
  }

  private @Nullable Verdict complete(Attempt attempt) throws SQLException {
    Outcome outcome = attempt.record().outcome();
    if (outcome == null) {
      throw new IllegalStateException("a complete run has an outcome");
    }
    Verdict error = errors(attempt.record(), outcome.ends());
    if (error != null) {
      return error;
    }
    if (!attempt.broken().isEmpty()) {
      return new Verdict(Kind.INVARIANT_VIOLATED, attempt.broken().get(0));
    }
    if (task.comparesSerially() && !serial.explains(attempt)) {
      return new Verdict(task.stateOnly() ? Kind.NOT_IDEMPOTENT : Kind.NOT_SERIALIZABLE, "");
    }
    return null;
  }

  private @Nullable Verdict errors(RunRecord record, List<ActorEnd> ends) {
    for (int actor = 0; actor < ends.size(); actor++) {
      Throwable thrown = ends.get(actor).error();
      if (thrown == null) {
        continue;
      }
      SqlError error = SqlError.of(thrown);
      String name = setting.names().get(actor);
      if (task.forbidden().contains(error)) {
        return new Verdict(
            error == SqlError.DEADLOCK ? Kind.DEADLOCK : Kind.FORBIDDEN_ERROR,
            name + " ended with " + error + ", which the test forbids: " + thrown.getMessage());
      }
      if (error == SqlError.DEADLOCK
          && !task.allowed().contains(error)
          && !record.deadlocks().isEmpty()) {
        return new Verdict(Kind.DEADLOCK, name + " was aborted by a deadlock and did not retry");
      }
    }
    return null;
  }
}
