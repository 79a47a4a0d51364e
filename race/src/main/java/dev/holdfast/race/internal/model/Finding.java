package dev.holdfast.race.internal.model;

import dev.holdfast.transaction.Isolation;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Something that is wrong, shrunk and run again.
 *
 * @param kind what is wrong
 * @param broken the name of the invariant that does not hold, or a sentence about what is wrong if
 *     the kind alone does not say it; empty if nothing is to be added
 * @param actors the names of the actors that take part; the numbers in the run are places in here
 * @param run the simplest run that shows it
 * @param expected what the serial orders give; empty if they were not compared
 * @param levels whether other isolation levels would have helped, as they were tried
 * @param reproduced how many of the repetitions showed the same
 * @param repetitions how often it was run again
 * @param replayToken repeats exactly this run
 * @param foundInRun in which run it was found first
 * @param foundAfterMillis how long that took, from the beginning
 */
public record Finding(
    Kind kind,
    String broken,
    List<String> actors,
    RunRecord run,
    List<Expected> expected,
    List<LevelTrial> levels,
    int reproduced,
    int repetitions,
    String replayToken,
    int foundInRun,
    long foundAfterMillis) {

  /** What can be wrong. */
  public enum Kind {
    /** No serial order explains the outcome. */
    NOT_SERIALIZABLE,
    /** An invariant does not hold. */
    INVARIANT_VIOLATED,
    /** An actor was ended by a deadlock, and has not tried again. */
    DEADLOCK,
    /** An actor tries again and again. */
    LIVELOCK,
    /** An actor never ends. */
    STUCK,
    /** Actors are kept apart by a lock of this JVM, which another instance does not have. */
    JVM_LOCK,
    /** An actor failed in a way that the test forbids. */
    FORBIDDEN_ERROR,
    /** After a crash and a second try the state is not that of one clean run. */
    NOT_IDEMPOTENT
  }

  /**
   * What a serial order gives.
   *
   * @param order the actors' names in that order
   */
  public record Expected(List<String> order, Outcome outcome) {}

  /**
   * A level that was tried.
   *
   * @param known whether it was tried to the end
   * @param helps whether nothing was found there
   * @param how what happened instead: {@code Ben is refused (40001) and must try again}, {@code the
   *     same}
   */
  public record LevelTrial(Isolation level, boolean known, boolean helps, String how) {
    public LevelTrial(Isolation level, boolean helps, String how) {
      this(level, /* known= */ true, helps, how);
    }

    /** It could not be found out there, or not in time. */
    public static LevelTrial unknown(Isolation level, String how) {
      return new LevelTrial(level, /* known= */ false, /* helps= */ false, how);
    }
  }

  public @Nullable Outcome actual() {
    return run.outcome();
  }
}
