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
import javax.sql.DataSource;

/**
 * Runs copies of code against each other on a real database, in all orders of their statements, and
 * shows the order that breaks.
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
 * <p>Without an invariant, results and tables must be those of some serial order of the actors.
 * With invariants, these decide, unless {@link #alsoSerial()} asks for both.
 *
 * <p>The code under test must be deterministic: with the same answers from the database it must do
 * the same. It must get its connections from the data source of its actor. The tables are put back
 * before each run, and at the end as they were before {@link #given}; nothing else may use them
 * meanwhile. Options may be set in any order; {@link #explore()} is called once. Not thread-safe,
 * but for {@link #point}, {@link #effect} and {@link #count}, which actors and checks call.
 */
public final class Race {
  static final Duration BUDGET = Duration.ofSeconds(5);
  private static final int MAX_ACTORS = 4;

  private final Exploring exploring;
  private final List<Task.Given> given = new ArrayList<>();
  private final List<ActorSpec> actors = new ArrayList<>();
  private final List<Task.Invariant> invariants = new ArrayList<>();
  private final List<Isolation> levels = new ArrayList<>();
  private final Set<SqlError> forbidden = EnumSet.noneOf(SqlError.class);
  private final Set<SqlError> allowed = EnumSet.noneOf(SqlError.class);
  private final Set<String> crashing = new java.util.TreeSet<>();
  private boolean alsoSerial;
  private boolean stateOnly;
  private boolean javaLocks;
  private int bound = -1;
  private Duration budget = BUDGET;
  private long seed = 20261116;
  private Duration patience = Duration.ofSeconds(10);
  private String replay = "";
  private String name = "";

  Race(Exploring exploring) {
    this.exploring = exploring;
  }

  /** A race on this data source, outside of JUnit: {@link #explore()} returns what it has found. */
  public static Race on(DataSource dataSource) {
    return new Race(Exploring.quietly()).using(dataSource);
  }

  /** The data source of the actors, where the test class has none or several. */
  public Race using(DataSource dataSource) {
    exploring.use(Require.notNull(dataSource, "the data source"));
    return this;
  }

  /** Statements that prepare the database. */
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

  /** Code that prepares the database. */
  public Race given(Setup setup) {
    given.add(Require.notNull(setup, "the setup")::on);
    return this;
  }

  /** An actor, whose result is not looked at. */
  public Race actor(String actor, ActorAction operation) {
    Require.notNull(operation, "the operation");
    return add(
        actor,
        dataSource -> {
          operation.run(dataSource);
          return null;
        },
        false,
        actors.size());
  }

  /** An actor whose result must be the one that it has in a serial order. */
  public Race actorReturning(String actor, ActorCallback question) {
    return add(actor, Require.notNull(question, "the question")::ask, true, actors.size());
  }

  /** Actors that do exactly the same, called A, B, C, D; half of the orders need no look then. */
  public Race actors(int count, ActorAction operation) {
    Require.notNull(operation, "the operation");
    return same(
        count,
        dataSource -> {
          operation.run(dataSource);
          return null;
        },
        false);
  }

  /** Likewise, with results that are compared. */
  public Race actorsReturning(int count, ActorCallback question) {
    return same(count, Require.notNull(question, "the question")::ask, true);
  }

  private Race same(int count, ActorSpec.Body body, boolean compared) {
    Require.that(
        count >= 1 && count <= MAX_ACTORS,
        "there must be 1 to " + MAX_ACTORS + " actors that do the same, were " + count);
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

  /** A query that must answer true, in each of its rows, when all actors have ended. */
  public Race invariant(String invariant, String sql) {
    Require.text(invariant, "the name of an invariant");
    invariants.add(
        new Task.Invariant(
            invariant, Invariants.sql(invariant, Require.text(sql, "the query of an invariant"))));
    return this;
  }

  /** A check that must hold when all actors have ended. */
  public Race invariant(String invariant, Invariant check) {
    Require.text(invariant, "the name of an invariant");
    invariants.add(new Task.Invariant(invariant, Require.notNull(check, "the check")::holds));
    return this;
  }

  /** The outcome must be that of a serial order, although there are invariants. */
  public Race alsoSerial() {
    alsoSerial = true;
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

  /**
   * How often an actor may be preempted at most, in all. Default: as often as there is time for.
   */
  public Race preemptions(int most) {
    Require.that(most >= 0, "the preemptions must not be negative, were " + most);
    bound = most;
    return this;
  }

  /** How long to look, at each isolation level. Default: 5 s. */
  public Race budget(Duration time) {
    Require.that(
        time != null && !time.isNegative() && !time.isZero() && time.toDays() < 365,
        "the budget must be more than nothing and less than a year, was " + time);
    budget = Require.notNull(time, "the budget");
    return this;
  }

  /** Of the random runs that are made where there is no time for all. */
  public Race seed(long value) {
    seed = value;
    return this;
  }

  /** Makes the one run again that a report has shown, instead of exploring. */
  public Race replay(String token) {
    replay = Require.notNull(token, "the token").strip();
    return this;
  }

  /** An actor that ends with one of these errors of the database is a finding. */
  public Race forbid(SqlError... errors) {
    forbidden.addAll(Require.all(errors, "the errors that are forbidden"));
    return this;
  }

  /** An actor may end with these: with {@link SqlError#DEADLOCK}, which is a finding otherwise. */
  public Race allow(SqlError... errors) {
    allowed.addAll(Require.all(errors, "the errors that are allowed"));
    return this;
  }

  /**
   * Actors may wait for locks of this JVM. Otherwise that is a finding, for another instance of the
   * service does not have them.
   */
  public Race allowJavaLocks() {
    javaLocks = true;
    return this;
  }

  /**
   * This actor crashes once, at any of its steps (its connection is lost, or its process dies), and
   * is run again. Only what is left in the tables, and the effects, are compared then.
   */
  public Race crashing(String actor) {
    crashing.add(Require.text(actor, "the name of an actor"));
    return stateOnly();
  }

  /** How long an actor may be on its way without coming to a step. */
  Race patience(Duration time) {
    patience = time;
    return this;
  }

  /** What the report calls it. */
  public Race named(String title) {
    name = Require.text(title, "the name");
    return this;
  }

  /** For actors: something happens here that is not in the database, and others may come before. */
  public void point(String what) {
    exploring.point(StepKind.POINT, Require.text(what, "the name of a point"));
  }

  /** For actors: likewise, and it is counted: a mail is sent, a card is charged. */
  public void effect(String what) {
    exploring.point(StepKind.EFFECT, Require.text(what, "the name of an effect"));
  }

  /** For checks: how often the effect was counted in the run. */
  public long count(String effect) {
    return Invariants.count(Require.text(effect, "the name of an effect"));
  }

  /**
   * Explores.
   *
   * @return what was found, outside of a {@link RaceTest}
   * @throws RaceFoundError if something was found, in a {@link RaceTest}
   * @throws RaceSetupException if it cannot be explored
   */
  public RaceReport explore() {
    Require.that(
        !actors.isEmpty(), "there are no actors: add two or more with .actor(name, operation)");
    Require.that(
        actors.size() <= MAX_ACTORS,
        "there may be " + MAX_ACTORS + " actors at most, were " + actors.size());
    Require.that(
        actors.size() > 1 || !crashing.isEmpty(),
        "there is only one actor, which has nobody to race with: add another with .actor(name,"
            + " operation)");
    crashing.forEach(
        crashed ->
            Require.that(
                isActor(crashed), "no actor has the name '" + crashed + "', which is to crash"));
    Require.that(
        replay.isEmpty() || levels.size() <= 1, "a token is replayed at one isolation level");
    return exploring.explore(levels, this::task);
  }

  private Task task(@org.jspecify.annotations.Nullable Isolation level) {
    List<ActorSpec> specs = new ArrayList<>();
    for (ActorSpec actor : actors) {
      specs.add(
          crashing.contains(actor.name())
              ? new ActorSpec(
                  actor.name(), actor.body(), actor.compared(), MAX_ACTORS + specs.size(), true)
              : actor);
    }
    return new Task(
        exploring.title(name, stateOnly ? "crash test" : "race"),
        List.copyOf(given),
        specs,
        List.copyOf(invariants),
        alsoSerial,
        stateOnly,
        level,
        bound,
        budget,
        seed,
        replay,
        Set.copyOf(forbidden),
        Set.copyOf(allowed),
        javaLocks,
        patience);
  }
}
