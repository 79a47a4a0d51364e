package dev.holdfast.race.internal.model;

import java.util.List;

/**
 * What a run has left: how each actor ended, what is in the tables that may have been changed, and
 * the effects that were counted, in their order.
 */
public record Outcome(List<ActorEnd> ends, List<TableContent> tables, List<Effect> effects) {

  /** Something that happened outside of the database. */
  public record Effect(int actor, String name) {}
}
