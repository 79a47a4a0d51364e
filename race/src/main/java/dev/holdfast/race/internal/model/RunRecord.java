package dev.holdfast.race.internal.model;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What happened in a run.
 *
 * @param moves the decisions, which make it the same again
 * @param entries the timeline
 * @param end how it ended
 * @param problem what was wrong, for the ends that are a finding by themselves; null otherwise
 * @param deadlocks the deadlocks on the way
 * @param outcome null if the run was not complete
 */
public record RunRecord(
    List<Move> moves,
    List<Entry> entries,
    End end,
    @Nullable String problem,
    List<Deadlock> deadlocks,
    @Nullable Outcome outcome) {

  /** How a run ends. */
  public enum End {
    /** All actors have ended. */
    COMPLETE,
    /** It came to where another run had been. */
    PRUNED,
    /** An actor never ends. */
    LIVELOCK,
    /** An actor neither comes to a step nor ends. */
    STUCK,
    /** An actor waits for a Java lock that another one holds. */
    JVM_LOCK,
    /** An actor waits for a connection of the pool, or got none. */
    POOL,
    /** An actor waits for a session that belongs to no actor. */
    UNKNOWN_CONNECTION,
    /** The thread that explores was interrupted. */
    INTERRUPTED,
    /** A given schedule could not be followed: the code did something else than before. */
    DIVERGED
  }

  /**
   * Actors that wait for each other in a circle.
   *
   * @param waiters the waiting actors, each for the next one and the last for the first
   * @param entries the numbers of the entries that wait, in the same order; 0 if it is not known
   * @param victim the actor that the database aborted
   */
  public record Deadlock(List<Integer> waiters, List<Integer> entries, int victim) {}
}
