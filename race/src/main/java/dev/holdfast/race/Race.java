package dev.holdfast.race;

import dev.holdfast.race.internal.explore.Invariants;
import dev.holdfast.race.internal.explore.Task;
import dev.holdfast.race.internal.model.StepKind;
import dev.holdfast.race.internal.run.ActorSpec;
import dev.holdfast.transaction.Isolation;
import dev.holdfast.transaction.SqlError;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Explores the interleavings of two to four actors on a real database and reports the first one
 * that gives a wrong result.
 *
 * <pre>{@code
 * @RaceTest
 * void couponIsUsedOnce(Race race) {
 *   race.given("insert into coupons(code, used) values ('TEN', false)")
 *       .actor("Ana", ds -> coupons.redeem(ds, "TEN"))
 *       .actor("Ben", ds -> coupons.redeem(ds, "TEN"))
 *       .explore();
 * }
 * }</pre>
 *
 * <p>Without an invariant, the results and the tables must equal those of some serial execution.
 * With invariants, only the invariants decide. {@link #requireSerializable()} requires both.
 *
 * <p>The code under test must be deterministic: if the database gives the same responses, it must
 * take the same steps. It must get its connections from the data source of its actor. Holdfast
 * resets the tables before each run and, at the end, restores them as they were before {@link
 * #given}. Nothing else may use them during the exploration.
 *
 * <p>Options may be set in any order. Call {@link #explore()} once.
 *
 * <p><b>Threads:</b> not thread-safe, except {@link #yieldPoint}, {@link #sideEffect} and {@link
 * #sideEffectCount}, which actors and invariants call.
 */
public final class Race {
  static final Duration DEFAULT_TIME_LIMIT = Duration.ofSeconds(5);
  private static final int MAX_ACTORS = 4;
  private static final int NO_BOUND = -1;

  private final ExplorationSession exploring;
  private final List<Task.Given> given = new ArrayList<>();
  private final List<ActorSpec> actors = new ArrayList<>();
  private final List<Task.Invariant> invariants = new ArrayList<>();
  private final List<Isolation> levels = new ArrayList<>();
  private final Set<SqlError> forbidden = EnumSet.noneOf(SqlError.class);
  private final Set<SqlError> allowed = EnumSet.noneOf(SqlError.class);
  private final Set<String> crashingActors = new TreeSet<>();
  private boolean requireSerializable;
  private boolean stateOnly;
  private boolean jvmLocksAllowed;
  private int preemptionBound = NO_BOUND;
  private Duration timeLimit = DEFAULT_TIME_LIMIT;
  private long seed = 20261116;
  private Duration stepTimeout = Duration.ofSeconds(10);
  private String replay = "";
  private String name = "";

  Race(ExplorationSession exploring) {
    this.exploring = exploring;
  }

  /** A race outside of JUnit. {@link #explore()} returns the report and does not throw. */
  public static Race create(DataSource dataSource) {
    return new Race(ExplorationSession.withoutTest()).dataSource(dataSource);
  }

  /** Sets the data source of the actors. Needed if the test class has none or several. */
  public Race dataSource(DataSource dataSource) {
    exploring.use(Require.notNull(dataSource, "the data source"));
    return this;
  }

  /** Adds statements that prepare the database. */
  public Race given(String... sql) {
    for (String statement : Require.all(sql, "the statements of given")) {
      String text = Require.text(statement, "a statement of given");
      given.add(
          connection -> {
            try (Statement made = connection.createStatement()) {
              made.execute(text);
            } catch (SQLException failed) {
              throw new SQLException(
                  failed.getMessage() + "\n  in: " + text, failed.getSQLState(), failed);
            }
          });
    }
    return this;
  }

  /** Adds code that prepares the database. */
  public Race given(Setup setup) {
    given.add(Require.notNull(setup, "the setup")::prepare);
    return this;
  }

  /** Adds an actor. Its result is not compared. */
  public Race actor(String actor, ActorAction action) {
    Require.notNull(action, "the action");
    return add(
        actor,
        dataSource -> {
          action.run(dataSource);
          return null;
        },
        false,
        actors.size());
  }

  /** Adds an actor whose result must equal its result in a serial execution. */
  public Race actorWithResult(String actor, ActorCallback callback) {
    return add(actor, Require.notNull(callback, "the callback")::call, true, actors.size());
  }

  /**
   * Adds identical actors, named A, B, C, D. Interleavings that differ only in the names are
   * explored once.
   */
  public Race actors(int count, ActorAction action) {
    Require.notNull(action, "the action");
    return same(
        count,
        dataSource -> {
          action.run(dataSource);
          return null;
        },
        false);
  }

  /** Adds identical actors whose results are compared. */
  public Race actorsWithResult(int count, ActorCallback callback) {
    return same(count, Require.notNull(callback, "the callback")::call, true);
  }

  private Race same(int count, ActorSpec.Body body, boolean compared) {
    Require.that(
        count >= 1 && count <= MAX_ACTORS,
        "there must be 1 to " + MAX_ACTORS + " identical actors, were " + count);
    int kind = actors.size();
    for (int i = 0; i < count; i++) {
      add(freeName(), body, compared, kind);
    }
    return this;
  }

  private String freeName() {
    char name = 'A';
    while (isActor(String.valueOf(name))) {
      name++;
    }
    return String.valueOf(name);
  }

  private boolean isActor(String actor) {
    return actors.stream().anyMatch(other -> other.name().equals(actor));
  }

  private Race add(String actor, ActorSpec.Body body, boolean compared, int kind) {
    Require.text(actor, "the name of an actor");
    Require.that(!isActor(actor), "there are two actors with the name '" + actor + "'");
    actors.add(new ActorSpec(actor, body, compared, kind, false));
    return this;
  }

  /** Adds a query that must return true in each row after all actors have ended. */
  public Race invariant(String invariant, String sql) {
    Require.text(invariant, "the name of an invariant");
    invariants.add(
        new Task.Invariant(
            invariant, Invariants.sql(invariant, Require.text(sql, "the query of an invariant"))));
    return this;
  }

  /** Adds a check that must hold after all actors have ended. */
  public Race invariant(String invariant, Invariant check) {
    Require.text(invariant, "the name of an invariant");
    invariants.add(new Task.Invariant(invariant, Require.notNull(check, "the check")::holds));
    return this;
  }

  /** The outcome must be that of a serial order, although there are invariants. */
  public Race requireSerializable() {
    requireSerializable = true;
    return this;
  }

  Race stateOnly() {
    stateOnly = true;
    return this;
  }

  /**
   * The isolation level of the connections, which the code may still change; several for a race at
   * each of them. Default: that of the connections.
   */
  public Race isolation(Isolation... isolation) {
    levels.addAll(Require.all(isolation, "the isolation levels"));
    return this;
  }

  /** Limits the total number of preemptions. Default: no limit. */
  public Race maxPreemptions(int maxPreemptions) {
    Require.that(maxPreemptions >= 0, "maxPreemptions must not be negative, was " + maxPreemptions);
    preemptionBound = maxPreemptions;
    return this;
  }

  /** Limits the time of the exploration, per isolation level. Default: 5 s. */
  public Race timeLimit(Duration timeLimit) {
    Require.that(
        timeLimit != null
            && !timeLimit.isNegative()
            && !timeLimit.isZero()
            && timeLimit.toDays() < 365,
        "the time limit must be more than zero and less than a year, was " + timeLimit);
    this.timeLimit = timeLimit;
    return this;
  }

  /** Sets the seed of the random runs, which follow if the time does not suffice for all. */
  public Race seed(long value) {
    seed = value;
    return this;
  }

  /** Repeats the run of a report instead of exploring. */
  public Race replay(String token) {
    replay = Require.notNull(token, "the token").strip();
    return this;
  }

  /** Reports a finding if an actor ends with one of these database errors. */
  public Race forbid(SqlError... errors) {
    forbidden.addAll(Require.all(errors, "the errors that are forbidden"));
    return this;
  }

  /**
   * Allows actors to end with these errors. By default, a {@link SqlError#DEADLOCK} is a finding.
   */
  public Race allow(SqlError... errors) {
    allowed.addAll(Require.all(errors, "the errors that are allowed"));
    return this;
  }

  /**
   * Allows actors to wait for locks of this JVM. By default this is a finding, because another
   * instance of the service does not have these locks.
   */
  public Race allowJvmLocks() {
    jvmLocksAllowed = true;
    return this;
  }

  /**
   * Crashes this actor once, at any of its steps, and runs it again. A crash is a lost connection
   * or a dead process. Then only the tables and the side effects are compared.
   */
  public Race crashActor(String actor) {
    crashingActors.add(Require.text(actor, "the name of an actor"));
    return stateOnly();
  }

  /** The time that an actor may take to reach its next step. */
  Race stepTimeout(Duration timeout) {
    stepTimeout = timeout;
    return this;
  }

  /** Sets the name that the report shows. */
  public Race name(String title) {
    name = Require.text(title, "the name");
    return this;
  }

  /** For actors: marks a step outside of the database. Other actors may run before it. */
  public void yieldPoint(String name) {
    exploring.point(StepKind.POINT, Require.text(name, "the name of a yield point"));
  }

  /**
   * For actors: marks a side effect, such as a mail that is sent. It is a step like a {@link
   * #yieldPoint}, and it is also counted and compared.
   */
  public void sideEffect(String name) {
    exploring.point(StepKind.EFFECT, Require.text(name, "the name of a side effect"));
  }

  /** For invariants: how often the side effect happened in the run. */
  public long sideEffectCount(String name) {
    return Invariants.count(Require.text(name, "the name of a side effect"));
  }

  /**
   * Explores the interleavings until a finding, until all are covered, or until the time limit.
   *
   * @return the report
   * @throws RaceFoundError if there is a finding, in a {@link RaceTest}
   * @throws RaceSetupException if the race cannot be explored
   */
  public RaceReport explore() {
    Require.that(
        !actors.isEmpty(), "there are no actors: add two or more with .actor(name, action)");
    Require.that(
        actors.size() <= MAX_ACTORS,
        "there may be at most " + MAX_ACTORS + " actors, were " + actors.size());
    Require.that(
        actors.size() > 1 || !crashingActors.isEmpty(),
        "there is only one actor: add another with .actor(name, action)");
    crashingActors.forEach(
        crashed ->
            Require.that(
                isActor(crashed), "no actor has the name '" + crashed + "', which shall crash"));
    Require.that(
        replay.isEmpty() || levels.size() <= 1, "a token is replayed at one isolation level");
    return exploring.explore(levels, this::task);
  }

  private Task task(@Nullable Isolation level) {
    List<ActorSpec> specs = new ArrayList<>();
    for (ActorSpec actor : actors) {
      specs.add(
          crashingActors.contains(actor.name())
              ? new ActorSpec(
                  actor.name(), actor.body(), actor.compared(), MAX_ACTORS + specs.size(), true)
              : actor);
    }
    return new Task(
        exploring.title(name, stateOnly ? "crash test" : "race"),
        List.copyOf(given),
        specs,
        List.copyOf(invariants),
        requireSerializable,
        stateOnly,
        level,
        preemptionBound,
        timeLimit,
        seed,
        replay,
        Set.copyOf(forbidden),
        Set.copyOf(allowed),
        jvmLocksAllowed,
        stepTimeout);
  }
}
