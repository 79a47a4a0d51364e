package dev.holdfast.race.internal.explore;

import dev.holdfast.race.internal.run.ActorSpec;
import dev.holdfast.transaction.Isolation;
import dev.holdfast.transaction.SqlError;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What the test asks for.
 *
 * @param requireSerializable whether the serial comparison decides besides the invariants
 * @param stateOnly whether only what is left counts, and not what the actors have returned
 * @param isolation null for what the connections have
 * @param preemptionBound the maximum number of preemptions; -1 for no bound
 * @param replay a token; empty for none
 * @param forbidden errors of the database that an actor must not end with
 * @param allowed those that it may
 * @param stepTimeout how long an actor may be on its way without coming to a step
 */
public record Task(
    String name,
    List<Given> given,
    List<ActorSpec> actors,
    List<Invariant> invariants,
    boolean requireSerializable,
    boolean stateOnly,
    @Nullable Isolation isolation,
    int preemptionBound,
    Duration timeLimit,
    long seed,
    String replay,
    Set<SqlError> forbidden,
    Set<SqlError> allowed,
    boolean allowJvmLocks,
    Duration stepTimeout) {

  /** Prepares the database. */
  public interface Given {
    void prepare(Connection connection) throws Exception;
  }

  /** What must hold in the end. */
  public record Invariant(String name, Check check) {}

  /** Looks whether it holds. */
  public interface Check {
    boolean holds(Connection connection) throws Exception;
  }

  /** Whether the serial comparison decides. */
  boolean comparesSerially() {
    return invariants.isEmpty() || requireSerializable;
  }
}
