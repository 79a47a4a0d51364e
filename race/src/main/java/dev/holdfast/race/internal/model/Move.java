package dev.holdfast.race.internal.model;

/** One decision of a schedule: which actor goes, and what happens to its step. */
public record Move(int actor, Fate fate) {
  public static Move go(int actor) {
    return new Move(actor, Fate.GO);
  }
}
