package dev.holdfast.race.internal.model;

/** What happens to a step. */
public enum Fate {
  GO,
  /** The connection is lost before it is sent: the code gets an error and lives on. */
  LOSE_BEFORE,
  /** It takes place, but its answer is lost: the code gets the same error. */
  LOSE_AFTER,
  /** The process dies before it is sent: nothing of the code runs any more. */
  DIE_BEFORE,
  /** It takes place, and then the process dies. */
  DIE_AFTER;

  public boolean before() {
    return this == LOSE_BEFORE || this == DIE_BEFORE;
  }

  public boolean after() {
    return this == LOSE_AFTER || this == DIE_AFTER;
  }

  public boolean dies() {
    return this == DIE_BEFORE || this == DIE_AFTER;
  }
}
