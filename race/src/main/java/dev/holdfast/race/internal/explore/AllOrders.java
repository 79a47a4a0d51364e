package dev.holdfast.race.internal.explore;

import dev.holdfast.race.internal.database.Database;
import dev.holdfast.race.internal.database.Databases;
import dev.holdfast.race.internal.judge.CanonicalOutcome;
import dev.holdfast.race.internal.model.Fate;
import dev.holdfast.race.internal.model.Outcome;
import dev.holdfast.race.internal.model.RunRecord.End;
import dev.holdfast.race.internal.run.ActorSpec;
import dev.holdfast.race.internal.run.Guide;
import dev.holdfast.race.internal.run.Setting;
import dev.holdfast.transaction.Isolation;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import javax.sql.DataSource;

/**
 * Makes all orders of a small program, whatever they lead to: to count what leaving out saves, and
 * to see that it loses nothing.
 */
public final class AllOrders {
  private static final int MAX_STEPS = 100;
  private static final Duration LOCK_TIMEOUT = Duration.ofSeconds(10);

  private AllOrders() {}

  /**
   * What was seen.
   *
   * @param outcomes in a canonical form
   * @param cut how many of the runs were cut because they came to where another had been
   */
  public record Seen(Set<String> outcomes, int runs, int cut) {}

  /**
   * Makes them, from what is in the tables now.
   *
   * @param level the code cannot choose another
   * @param prune whether what was seen is not looked at again; without, every order is made
   */
  public static Seen of(
      DataSource dataSource, List<ActorSpec> actors, Isolation level, boolean prune, int maxRuns)
      throws SQLException {
    try (Database database = Databases.open(dataSource)) {
      database.remember();
      Setting setting =
          new Setting(
              dataSource,
              database,
              actors,
              level,
              /* forced= */ true,
              /* allowJvmLocks= */ false,
              MAX_STEPS,
              LOCK_TIMEOUT,
              new ConcurrentSkipListSet<>(),
              new AtomicReference<>(),
              new AtomicBoolean(Setting.isStrict(level)));
      Runner runner = new Runner(task(actors, level), database);
      try {
        return seen(setting, runner, prune, maxRuns);
      } finally {
        runner.cleanUp();
      }
    }
  }

  private static Task task(List<ActorSpec> actors, Isolation level) {
    return new Task(
        "every order",
        List.of(),
        actors,
        List.of(),
        /* requireSerializable= */ false,
        /* stateOnly= */ false,
        level,
        /* preemptionBound= */ -1,
        Duration.ZERO,
        /* seed= */ 1,
        /* replay= */ "",
        Set.of(),
        Set.of(),
        /* allowJvmLocks= */ false,
        LOCK_TIMEOUT);
  }

  private static Seen seen(Setting setting, Runner runner, boolean prune, int maxRuns)
      throws SQLException {
    Search search = new Search(setting.kinds(), prune);
    Set<String> outcomes = new TreeSet<>();
    int cut = 0;
    for (Guide guide = search.next(-1);
        guide != null && runner.runs() < maxRuns;
        guide = search.next(-1)) {
      Attempt attempt = runner.run(setting, guide);
      if (attempt.record().end() == End.PRUNED) {
        cut++;
      } else if (attempt.record().end() != End.DIVERGED) {
        // whom a deadlock ends is the database's choice
        outcomes.add(describe(attempt, runner, setting));
      }
    }
    return new Seen(outcomes, runner.runs(), cut);
  }

  private static String describe(Attempt attempt, Runner runner, Setting setting) {
    Outcome outcome = attempt.record().outcome();
    if (outcome == null) {
      throw new Unexplorable(attempt.record().end() + " " + attempt.record().problem());
    }
    CanonicalOutcome canon =
        new CanonicalOutcome(
            runner.database()::isGenerated,
            Set.of(),
            new Outcome(List.of(), List.of(), List.of()),
            setting.names(),
            Clock.systemUTC());
    return canon.of(outcome, Set.of(), setting.kinds()) + crash(attempt);
  }

  /** Where an actor crashed, and how: outcomes with other crashes are not the same. */
  private static String crash(Attempt attempt) {
    return attempt.record().entries().stream()
        .filter(entry -> entry.fate() != Fate.GO)
        .map(entry -> "\n" + entry.fate() + " at step " + entry.index() + " of " + entry.actor())
        .collect(Collectors.joining());
  }
}
