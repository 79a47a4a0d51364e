package dev.holdfast.race;

import java.time.Duration;
import javax.sql.DataSource;

/**
 * Crashes an operation before, during and after each of its statements, and around its commits with
 * the answer lost in both worlds; runs it again; and shows the crash after which the state is not
 * that of one clean run.
 *
 * <pre>{@code
 * @CrashTest
 * void importIsIdempotent(Crash crash) {
 *   crash.operation(ds -> imports.run(ds, file)).explore();
 * }
 * }</pre>
 *
 * <p>A crash is a lost connection, which the code may cope with, or a process that dies, of which
 * nothing runs any more. An operation that has coped with a lost connection is not run again. What
 * it returns is not compared, only the tables and the {@link #effect effects}.
 *
 * <p>Not thread-safe, but for {@link #point} and {@link #effect}, which operations call.
 */
public final class Crash {
  private static final String NAME = "operation";

  private final Race race;
  private boolean given;

  Crash(Exploring exploring) {
    this.race = new Race(exploring).stateOnly();
  }

  /** Crashes on this data source, outside of JUnit. */
  public static Crash on(DataSource dataSource) {
    return new Crash(Exploring.quietly()).using(dataSource);
  }

  /** The data source of the operation, where the test class has none or several. */
  public Crash using(DataSource dataSource) {
    race.using(dataSource);
    return this;
  }

  /** Statements that prepare the database. */
  public Crash given(String... sql) {
    race.given(sql);
    return this;
  }

  /** Code that prepares the database. */
  public Crash given(Setup setup) {
    race.given(setup);
    return this;
  }

  /** What crashes, and is run again with the same input. */
  public Crash operation(ActorAction operation) {
    Require.that(!given, "there is one operation that crashes; add another with .beside(name, …)");
    given = true;
    race.actor(NAME, operation).crashing(NAME);
    return this;
  }

  /** Somebody else who is there meanwhile, and does not crash. */
  public Crash beside(String actor, ActorAction operation) {
    race.actor(actor, operation);
    return this;
  }

  /** A query that must answer true; it decides instead of the comparison. */
  public Crash invariant(String invariant, String sql) {
    race.invariant(invariant, sql);
    return this;
  }

  /** A check that must hold; it decides instead of the comparison. */
  public Crash invariant(String invariant, Invariant check) {
    race.invariant(invariant, check);
    return this;
  }

  /** How long to look. Default: 5 s. */
  public Crash budget(Duration time) {
    race.budget(time);
    return this;
  }

  /**
   * How often an actor may be preempted at most, in all. Default: as often as there is time for.
   */
  public Crash preemptions(int most) {
    race.preemptions(most);
    return this;
  }

  /** Makes the one run again that a report has shown. */
  public Crash replay(String token) {
    race.replay(token);
    return this;
  }

  /** What the report calls it. */
  public Crash named(String title) {
    race.named(title);
    return this;
  }

  /** For operations: something happens here that is not in the database. */
  public void point(String what) {
    race.point(what);
  }

  /** For operations: likewise, and it is counted: it must happen as often as in a clean run. */
  public void effect(String what) {
    race.effect(what);
  }

  /** For checks: how often the effect was counted in the run. */
  public long count(String effect) {
    return race.count(effect);
  }

  /**
   * Explores.
   *
   * @return what was found, outside of a {@link CrashTest}
   * @throws RaceFoundError if something was found, in a {@link CrashTest}
   * @throws RaceSetupException if it cannot be explored
   */
  public RaceReport explore() {
    Require.that(given, "nothing is given that could crash: add it with .operation(…)");
    return race.explore();
  }
}
