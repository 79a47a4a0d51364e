package dev.holdfast.race.internal.explore;

import dev.holdfast.race.internal.database.Database;
import dev.holdfast.race.internal.explore.FindingSearch.FoundRun;
import dev.holdfast.race.internal.model.Finding;
import dev.holdfast.race.internal.model.Finding.LevelTrial;
import dev.holdfast.race.internal.run.Setting;
import dev.holdfast.transaction.Isolation;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;

/** Tries whether a higher isolation level would have helped. */
final class Levels {
  private static final long NANOS = 700_000_000L;
  private static final int MAX_RUNS = 300;

  private Levels() {}

  static List<LevelTrial> above(Task task, Setting setting, Runner runner) throws SQLException {
    List<LevelTrial> tried = new ArrayList<>();
    Isolation now = setting.isolation() == null ? standard(runner.database()) : setting.isolation();
    for (Isolation level : List.of(Isolation.REPEATABLE_READ, Isolation.SERIALIZABLE)) {
      if (now == null || level.compareTo(now) > 0) {
        try {
          tried.add(at(level, task, setting, runner));
        } catch (Unexplorable | SQLException notThere) {
          tried.add(LevelTrial.unknown(level, ""));
        }
      }
    }
    return tried;
  }

  private static String refusals(FindingSearch hunt, Setting setting) {
    Set<String> names = new TreeSet<>();
    hunt.refusals().keySet().forEach(refusal -> names.add(setting.names().get(refusal.actor())));
    return names.isEmpty()
        ? "no actor fails"
        : String.join(" or ", names) + " fails there and must retry";
  }

  /** The default level of connections. */
  static Isolation standard(Database database) {
    return switch (database.usualLevel()) {
      case Connection.TRANSACTION_READ_UNCOMMITTED -> Isolation.READ_UNCOMMITTED;
      case Connection.TRANSACTION_REPEATABLE_READ -> Isolation.REPEATABLE_READ;
      case Connection.TRANSACTION_SERIALIZABLE -> Isolation.SERIALIZABLE;
      default -> Isolation.READ_COMMITTED;
    };
  }

  private static LevelTrial at(Isolation level, Task task, Setting setting, Runner runner)
      throws SQLException {
    Setting there = setting.at(level);
    Serial serial = Serial.of(task, there, runner);
    int before = runner.runs();
    FindingSearch hunt =
        new FindingSearch(there, runner, new Judge(task, there, serial))
            .until(-1, MAX_RUNS, System.nanoTime() + NANOS, new Random(task.seed()));
    FoundRun found = hunt.found();
    if (found != null) {
      boolean deadlock = found.verdict().kind() == Finding.Kind.DEADLOCK;
      return new LevelTrial(level, false, deadlock ? "it ends in a deadlock" : "the same");
    }
    if (!hunt.exhaustive()) {
      int runs = runner.runs() - before;
      return LevelTrial.unknown(
          level, "no failure in " + runs + " runs, but not all interleavings were tried");
    }
    return new LevelTrial(level, true, refusals(hunt, there));
  }
}
