package dev.holdfast.race.internal.explore;

import dev.holdfast.race.internal.database.Database;
import dev.holdfast.race.internal.database.Databases;
import dev.holdfast.race.internal.explore.FindingSearch.FoundRun;
import dev.holdfast.race.internal.explore.Shrinker.ShrunkRun;
import dev.holdfast.race.internal.model.Exploration;
import dev.holdfast.race.internal.model.Finding;
import dev.holdfast.race.internal.model.Move;
import dev.holdfast.race.internal.model.RunRecord;
import dev.holdfast.race.internal.run.ActorSpec;
import dev.holdfast.race.internal.run.Run;
import dev.holdfast.race.internal.run.Setting;
import dev.holdfast.transaction.Isolation;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Explores a race, from the setup to the finding.
 *
 * <ol>
 *   <li>The setup is made and remembered.
 *   <li>The actors run one after the other, in every order: what is right.
 *   <li>All orders of their steps, with few preemptions first, until one is wrong.
 *   <li>That one is made simpler, run ten times again, and tried at higher isolation levels.
 *   <li>Everything is put back as it was before the setup.
 * </ol>
 */
public final class Explorer {
  private static final int REPETITIONS = 10;
  private static final long NANOS_TO_SHRINK = 2_000_000_000L;
  private static final long NANOS_TO_REPEAT = 1_000_000_000L;

  /** Trying other levels would take longer than anybody waits. */
  private static final long SLOW_RUN_MILLIS = 150;

  private static final int MAX_STEPS_ALONE = 10_000;

  private final Task task;
  private final DataSource dataSource;
  private final AtomicReference<@Nullable Run> current;
  private final long begin = System.nanoTime();
  private final Set<String> otherThreads = new ConcurrentSkipListSet<>();
  private final List<String> doubts = new ArrayList<>();
  private boolean steady;

  private Explorer(Task task, DataSource dataSource, AtomicReference<@Nullable Run> current) {
    this.task = task;
    this.dataSource = dataSource;
    this.current = current;
  }

  /**
   * Explores.
   *
   * @param current receives the current run
   */
  public static Exploration explore(
      Task task, DataSource dataSource, AtomicReference<@Nullable Run> current)
      throws SQLException {
    return new Explorer(task, dataSource, current).whole();
  }

  private Exploration whole() throws SQLException {
    try (Database before = Databases.open(OwnConnection.of(dataSource))) {
      before.remember();
      try {
        prepare();
        try (Database database = Databases.open(OwnConnection.of(dataSource))) {
          database.remember();
          return exploreSteadily(database);
        }
      } finally {
        before.resetAll();
      }
    }
  }

  private void prepare() {
    try (Connection connection = OwnConnection.of(dataSource)) {
      for (Task.Given given : task.given()) {
        connection.setAutoCommit(true);
        given.prepare(connection);
        if (!connection.getAutoCommit()) {
          connection.commit();
        }
      }
    } catch (Unexplorable refused) {
      throw refused;
    } catch (Exception failed) {
      throw new Unexplorable("the setup failed: " + failed.getMessage(), failed);
    }
  }

  /** A query without an order finds rows as they lie, which need not be as in the run before. */
  private Exploration exploreSteadily(Database database) throws SQLException {
    try {
      return explore(database);
    } catch (NotDeterministic perhapsByPlaces) {
      if (!steady && !becomesSteady(database)) {
        throw perhapsByPlaces;
      }
      doubts.add(
          "equal runs did not always do the same until rows were restored to the same places, or"
              + " state that the code keeps between runs had settled: "
              + perhapsByPlaces.how());
      database.resetAll();
      return explore(database);
    }
  }

  private boolean becomesSteady(Database database) throws SQLException {
    steady = database.keepPlaces();
    return steady;
  }

  private Exploration explore(Database database) throws SQLException {
    Runner runner = new Runner(task, database);
    Setting alone =
        new Setting(
            dataSource,
            database,
            task.actors(),
            task.isolation(),
            /* forced= */ false,
            task.allowJvmLocks(),
            MAX_STEPS_ALONE,
            task.stepTimeout(),
            otherThreads,
            current,
            new AtomicBoolean(Setting.isStrict(level(database))));
    if (!task.replay().isEmpty()) {
      return replay(alone, runner);
    }
    UnseenChanges unseen = new UnseenChanges(database);
    Serial serial = Serial.of(task, alone, runner);
    unseen.refuse(runner.touched(), otherThreads);
    Setting setting = alone.withMaxSteps(serial.maxSteps());
    Judge judge = new Judge(task, setting, serial);
    FindingSearch hunt =
        new FindingSearch(setting, runner, judge)
            .until(task.preemptionBound(), Integer.MAX_VALUE, end(), new Random(task.seed()));
    FoundRun found = hunt.found();
    Finding finding =
        found == null ? null : finding(new ShrunkRun(setting, serial, judge, found), runner);
    return exploration(setting, serial, runner, hunt, finding);
  }

  /** If already the serial orders take long, the search has half of its time left. */
  private long end() {
    long budget = task.timeLimit().toNanos();
    return Math.max(begin + budget, System.nanoTime() + budget / 2);
  }

  /** The level that transactions have unless the code says otherwise. */
  private Isolation level(Database database) {
    Isolation asked = task.isolation();
    return asked == null ? Levels.standard(database) : asked;
  }

  private Finding finding(ShrunkRun whole, Runner runner) throws SQLException {
    if (whole.found().verdict().kind() == Finding.Kind.STUCK) {
      // each time takes as long as the step timeout
      return finding(whole, Repetitions.NONE, runner, whole.found());
    }
    ShrunkRun shrunk =
        new Shrinker(task, runner, System.nanoTime() + NANOS_TO_SHRINK).shrink(whole);
    Repetitions repetitions =
        Repetitions.of(shrunk, runner, REPETITIONS, System.nanoTime() + NANOS_TO_REPEAT);
    shrunk.serial().mustStillHold();
    if (repetitions.same() < repetitions.all() && !steady && becomesSteady(runner.database())) {
      throw new NotDeterministic("a failing run did not always fail again");
    }
    return finding(shrunk, repetitions, runner, whole.found());
  }

  private Finding finding(ShrunkRun shrunk, Repetitions repetitions, Runner runner, FoundRun first)
      throws SQLException {
    RunRecord run = EndlessRun.shortened(shrunk.found());
    Judge.Verdict verdict = shrunk.found().verdict();
    boolean compared =
        verdict.kind() == Finding.Kind.NOT_SERIALIZABLE
            || verdict.kind() == Finding.Kind.NOT_IDEMPOTENT
            || verdict.kind() == Finding.Kind.INVARIANT_VIOLATED;
    return new Finding(
        verdict.kind(),
        verdict.what(),
        shrunk.setting().names(),
        run,
        compared ? shrunk.serial().expected() : List.of(),
        compared && repetitions.all() > 1 && triesLevels(shrunk.setting(), repetitions)
            ? Levels.above(task, shrunk.setting(), runner)
            : List.of(),
        repetitions.same(),
        repetitions.all(),
        Token.of(run, places(shrunk.setting()), EndlessRun.isEndless(verdict)).toString(),
        first.run(),
        first.millis());
  }

  private static boolean triesLevels(Setting setting, Repetitions repetitions) {
    return !setting.isAlone() && repetitions.millisEach() <= SLOW_RUN_MILLIS;
  }

  /** Where the actors of a setting are among all that the test has. */
  private List<Integer> places(Setting setting) {
    List<String> all = task.actors().stream().map(ActorSpec::name).toList();
    return setting.names().stream().map(all::indexOf).toList();
  }

  private Exploration replay(Setting all, Runner runner) throws SQLException {
    Token token = Token.parse(task.replay());
    List<Integer> places = token.places();
    if (places.get(places.size() - 1) >= all.actors().size()) {
      throw new Unexplorable(
          "the replay token is of a race with more actors: "
              + (places.get(places.size() - 1) + 1)
              + " or more, and here are "
              + all.actors().size());
    }
    Setting setting = all.with(places.stream().map(place -> all.actors().get(place)).toList());
    Serial serial = Serial.of(task, setting, runner);
    Judge judge = new Judge(task, setting, serial);
    List<Move> moves = token.movesAmong(places);
    Attempt attempt = runner.run(setting, Guides.exactly(moves));
    if (attempt.record().end() == RunRecord.End.DIVERGED) {
      // so that the difference shows all that it does now
      attempt = runner.run(setting, Guides.roughly(moves));
    }
    token.mustMatch(attempt.record().entries(), setting.names());
    Judge.Verdict verdict = judge.of(attempt);
    FindingSearch none = new FindingSearch(setting, runner, judge);
    if (verdict == null) {
      return exploration(setting, serial, runner, none, null);
    }
    FoundRun found = new FoundRun(attempt, verdict, 1, 0);
    ShrunkRun shrunk = new ShrunkRun(setting, serial, judge, found);
    Finding finding = finding(shrunk, Repetitions.NONE, runner, found);
    return exploration(setting, serial, runner, none, finding);
  }

  private Exploration exploration(
      Setting setting, Serial serial, Runner runner, FindingSearch hunt, @Nullable Finding finding)
      throws SQLException {
    Database database = runner.database();
    Remarks remarks = new Remarks(task, setting, serial, hunt, runner);
    List<String> warnings = new ArrayList<>(doubts);
    warnings.addAll(remarks.warnings());
    Isolation level = level(database);
    return new Exploration(
        task.name(),
        database.title(),
        level.name().replace('_', ' '),
        setting.names(),
        task.stateOnly(),
        runner.runs(),
        hunt.prunedRuns(),
        hunt.exhaustive(),
        hunt.preemptionBound(),
        hunt.randomRuns(),
        task.seed(),
        (System.nanoTime() - begin) / 1_000_000,
        warnings,
        remarks.notes(finding),
        finding);
  }
}
