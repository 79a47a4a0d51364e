package dev.holdfast.race.own;

import java.util.List;

/**
 * A mutant that does the same as Holdfast.
 *
 * @param because why no order of steps can tell them apart
 */
record EquivalentMutant(Mutant mutant, String because) {
  private static final String LOCKED =
      "the rows are locked when they are found, so they are still so; it leads the planner";

  private static final String VERSION =
      "every change raises the version, so that of a claimed event is that of no pending one; it"
          + " leads the planner";

  private static final String RETURNED = "the row that is returned decides, not the count";

  static final List<EquivalentMutant> ALL =
      List.of(
          new EquivalentMutant(
              new Mutant(
                  "cancelling, row count ignored",
                  ChangePrograms.CANCEL_OR_CLAIM,
                  Mutation.none().counting(ChangeMutants.CANCEL, 1)),
              RETURNED),
          new EquivalentMutant(
              new Mutant(
                  "pausing, row count ignored",
                  KeyPrograms.PAUSE,
                  Mutation.none().counting("INSERT INTO holdfast_pause", 1)),
              RETURNED),
          new EquivalentMutant(
              new Mutant(
                  "claim, repeated condition on the status dropped",
                  HandlingPrograms.CLAIM,
                  Mutation.none().rewriting("WITH found AS", " AND e.status <> 1", "")),
              LOCKED),
          new EquivalentMutant(
              new Mutant(
                  "rescue, repeated condition on the status dropped",
                  HandlingPrograms.RESCUE,
                  Mutation.none().rewriting("WITH lost AS", " AND e.status <> 0", "")),
              LOCKED),
          new EquivalentMutant(
              new Mutant(
                  "rescue, first condition on the status dropped",
                  HandlingPrograms.RESCUE_AND_CLAIM,
                  Mutation.none().rewriting("WITH lost AS", "status = 1 AND", "")),
              "only a claimed event has an owner"),
          new EquivalentMutant(
              new Mutant(
                  "completion, condition on the status dropped",
                  HandlingPrograms.COMPLETE_OR_RESCUE,
                  Mutation.none()
                      .rewriting("AND e.version = ? AND e.status <> 0", " AND e.status <> 0", "")),
              VERSION),
          new EquivalentMutant(
              new Mutant(
                  "putting back, condition on the status dropped",
                  HandlingPrograms.PUT_BACK_OR_RESCUE,
                  Mutation.none().rewriting("attempts + ?", " AND status <> 0", "")),
              VERSION),
          new EquivalentMutant(
              new Mutant(
                  "beginning, condition on the status dropped",
                  HandlingPrograms.BEGIN_OR_RESCUE,
                  Mutation.none().rewriting("SET begun", " AND status = 1", "")),
              VERSION),
          new EquivalentMutant(
              new Mutant(
                  "renewal, condition on not having stopped dropped",
                  HandlingPrograms.STOP_OR_RENEW,
                  Mutation.none().rewriting("UPDATE holdfast_instance", " AND NOT stopped", "")),
              "who stops also ends its lease, by the same clock"),
          new EquivalentMutant(
              new Mutant(
                  "replacing, condition of the key on the event dropped",
                  KeyPrograms.REPLACE_OR_CLAIM,
                  Mutation.none()
                      .rewriting(
                          "UPDATE holdfast_event_key SET fingerprint",
                          "AND id = ?",
                          "AND CAST(? AS bigint) IS NOT NULL")),
              "the event is pending and locked, and nobody takes the key of one that is known"),
          new EquivalentMutant(
              new Mutant(
                  "forgetting keys, condition on the event dropped",
                  KeyPrograms.FORGET_OR_SCHEDULE,
                  Mutation.none()
                      .rewriting(
                          "DELETE FROM holdfast_event_key",
                          "AND id = ?",
                          "AND CAST(? AS bigint) IS NOT NULL")),
              "the key is locked, and its event was compared after that"),
          new EquivalentMutant(
              new Mutant(
                  "replaying, condition of the note dropped",
                  KeyPrograms.REPLAY,
                  Mutation.none().rewriting("SET replayed_as", " AND replayed_as IS NULL", "")),
              "the ended event is locked, and it was not replayed then"),
          new EquivalentMutant(
              new Mutant(
                  "transition, condition on the new state dropped",
                  GuardPrograms.MOVED,
                  Mutation.none().rewriting("UPDATE", "NOT (", "NOT (FALSE AND ")),
              "who is in one of the old states is not in the new one, but for columns that take"
                  + " 'paid' for 'PAID'"),
          new EquivalentMutant(
              new Mutant(
                  "sweep, repeated condition dropped",
                  RowPrograms.SWEPT_AND_TAKEN,
                  Mutation.none().rewriting("holdfast_stuck", ") IS TRUE", " OR TRUE)")),
              LOCKED));

  @Override
  public String toString() {
    return mutant.name();
  }
}
