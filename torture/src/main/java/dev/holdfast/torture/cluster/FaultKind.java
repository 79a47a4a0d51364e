package dev.holdfast.torture.cluster;

import java.util.Arrays;
import java.util.Locale;

/** What can be done to a run. The names are those of {@code --faults} and of the histories. */
public enum FaultKind {
  /** {@code kill -9} of a node, which is started again. */
  KILL(6, Target.NODE),
  /** SIGSTOP of a node for half to three times the lease, then SIGCONT. */
  STOP(5, Target.NODE),
  /** Connections of a node go silent and stay open; new ones are silent, too, for a time. */
  BLACKHOLE(4, Target.NODE),
  /** One connection of a worker goes silent right after a statement that locks rows of Holdfast. */
  LOCK_CUT(5, Target.WORKER),
  /** All connections of a node are closed. */
  CUT(2, Target.NODE),
  /** All connections of a node are reset. */
  RESET(2, Target.NODE),
  /** Nothing is forwarded for a time, and then everything. */
  STALL(3, Target.NODE),
  /** Commits of a node happen, and their answers are lost with the connection. */
  LOST_COMMIT(4, Target.NODE),
  /** Other changes of a node happen, and their answers are lost with the connection. */
  LOST_ANSWER(2, Target.NODE),
  /** A node holds the connections of its pool for a time. */
  POOL(2, Target.NODE),
  /** {@code kill -9} of all processes of the database, or of the first only; then a restart. */
  DATABASE_KILL(2, Target.DATABASE),
  /** An immediate shutdown and a restart. */
  DATABASE_IMMEDIATE(1, Target.DATABASE),
  /** SIGSTOP of all processes of the database. */
  DATABASE_FREEZE(2, Target.DATABASE),
  /** {@code pg_terminate_backend} of all sessions, several times. */
  TERMINATE(2, Target.DATABASE);

  /** What a fault is aimed at. */
  public enum Target {
    WORKER,
    NODE,
    DATABASE
  }

  private final int weight;
  private final Target target;

  FaultKind(int weight, Target target) {
    this.weight = weight;
    this.target = target;
  }

  /** How often it is chosen, among the others. */
  int weight() {
    return weight;
  }

  Target target() {
    return target;
  }

  public String label() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /**
   * The kind of this label.
   *
   * @throws IllegalArgumentException where there is none
   */
  public static FaultKind of(String label) {
    return Arrays.stream(values())
        .filter(kind -> kind.label().equals(label))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "there is no fault '"
                        + label
                        + "'; there are "
                        + Arrays.stream(values()).map(FaultKind::label).toList()));
  }
}
