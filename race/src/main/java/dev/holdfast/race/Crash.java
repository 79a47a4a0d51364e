package dev.holdfast.race;

import java.time.Duration;
import javax.sql.DataSource;

/**
 * Crashes an operation before and after each of its statements and around its commits, runs it
 * again, and reports the first crash after which the result differs from that of one clean run.
 *
 * <pre>{@code
 * @CrashTest
 * void importIsIdempotent(Crash crash) {
 *   crash.operation(ds -> imports.run(ds, file)).explore();
 * }
 * }</pre>
 *
 * <p>A crash is either a lost connection, which the code may handle, or a dead process, which
 * executes nothing more. Each is tried in both cases: the statement took effect, or it did not. An
 * operation that handles a lost connection is not run again.
 *
 * <p>Only the tables and the {@linkplain #sideEffect side effects} are compared, not the return
 * value.
 *
 * <p><b>Threads:</b> not thread-safe, except {@link #yieldPoint} and {@link #sideEffect}, which
 * operations call.
 */
public final class Crash {
  private static final String NAME = "operation";

  private final Race race;
  private boolean hasOperation;

  Crash(ExplorationSession exploring) {
    this.race = new Race(exploring).stateOnly();
  }

  /** A crash test outside of JUnit. {@link #explore()} returns the report and does not throw. */
  public static Crash create(DataSource dataSource) {
    return new Crash(ExplorationSession.withoutTest()).dataSource(dataSource);
  }

  /** Sets the data source of the operation. Needed if the test class has none or several. */
  public Crash dataSource(DataSource dataSource) {
    race.dataSource(dataSource);
    return this;
  }

  /** Adds statements that prepare the database. */
  public Crash given(String... sql) {
    race.given(sql);
    return this;
  }

  /** Adds code that prepares the database. */
  public Crash given(Setup setup) {
    race.given(setup);
    return this;
  }

  /** Sets the operation that crashes and is run again with the same input. */
  public Crash operation(ActorAction operation) {
    Require.that(
        !hasOperation,
        "there is already an operation; add a concurrent actor with .concurrentActor(name, …)");
    hasOperation = true;
    race.actor(NAME, operation).crashActor(NAME);
    return this;
  }

  /** Adds an actor that runs concurrently and does not crash. */
  public Crash concurrentActor(String name, ActorAction action) {
    race.actor(name, action);
    return this;
  }

  /** Adds a query that must return true. It replaces the comparison. */
  public Crash invariant(String invariant, String sql) {
    race.invariant(invariant, sql);
    return this;
  }

  /** Adds a check that must hold. It replaces the comparison. */
  public Crash invariant(String invariant, Invariant check) {
    race.invariant(invariant, check);
    return this;
  }

  /** Limits the time of the exploration. Default: 5 s. */
  public Crash timeLimit(Duration timeLimit) {
    race.timeLimit(timeLimit);
    return this;
  }

  /** Limits the total number of preemptions. Default: no limit. */
  public Crash maxPreemptions(int maxPreemptions) {
    race.maxPreemptions(maxPreemptions);
    return this;
  }

  /** Repeats the run of a report instead of exploring. */
  public Crash replay(String token) {
    race.replay(token);
    return this;
  }

  /** Sets the name that the report shows. */
  public Crash name(String title) {
    race.name(title);
    return this;
  }

  /** For operations: marks a step outside of the database. */
  public void yieldPoint(String name) {
    race.yieldPoint(name);
  }

  /** For operations: marks a side effect. It must happen as often as in a clean run. */
  public void sideEffect(String name) {
    race.sideEffect(name);
  }

  /** For invariants: how often the side effect happened in the run. */
  public long sideEffectCount(String name) {
    return race.sideEffectCount(name);
  }

  /**
   * Explores the crashes until a finding, until all are covered, or until the time limit.
   *
   * @return the report
   * @throws RaceFoundError if there is a finding, in a {@link CrashTest}
   * @throws RaceSetupException if the operation cannot be explored
   */
  public RaceReport explore() {
    Require.that(hasOperation, "there is no operation: add it with .operation(…)");
    return race.explore();
  }
}
