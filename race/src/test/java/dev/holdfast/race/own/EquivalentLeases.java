package dev.holdfast.race.own;

import java.util.List;

/** Mutants of leases that do the same as Holdfast. */
final class EquivalentLeases {
  static final List<EquivalentMutant> ALL =
      List.of(
          new EquivalentMutant(
              new Mutant(
                  "fence, row count ignored",
                  FencePrograms.NEXT,
                  Mutation.none().counting("INSERT INTO holdfast_fence", 1)),
              "the row that is returned decides, not the count"),
          new EquivalentMutant(
              new Mutant(
                  "making the row, clause about conflicts dropped",
                  SharedLeasePrograms.FIRST,
                  Mutation.none()
                      .rewriting(
                          "INSERT INTO holdfast_lease (",
                          " ON CONFLICT (shard, kind, name) DO NOTHING",
                          "")),
              "a transaction that meets a duplicate did nothing, is repeated, and finds the row"),
          new EquivalentMutant(
              new Mutant(
                  "acquiring, condition of the token on the owner dropped",
                  LeasePrograms.TAKEN_OVER_WAITING,
                  Mutation.none()
                      .rewriting(
                          "arrivals, waiting_until) VALUES",
                          "(l.owner = excluded.owner AND NOT",
                          "(NOT")),
              "only its owner gets what is neither released nor run out"),
          new EquivalentMutant(
              new Mutant(
                  "release, condition on somebody waiting dropped",
                  LeasePrograms.RELEASED,
                  Mutation.none()
                      .rewriting(
                          "SET released = true, told", "WHEN (waiting IS NOT NULL AND", "WHEN (")),
              "where nobody waits, it is not another either"),
          new EquivalentMutant(
              new Mutant(
                  "shared, order of reading dropped",
                  SharedLeasePrograms.QUEUE_IN_ORDER,
                  Mutation.none().rewriting("SELECT owner, held, arrival", "ORDER BY arrival", "")),
              "who is first is found out by the arrivals"),
          new EquivalentMutant(
              new Mutant(
                  "leaving the queue, condition on the owner dropped",
                  SharedLeasePrograms.QUEUE_LEFT,
                  Mutation.none()
                      .rewriting(
                          SharedLeaseMutants.HAS,
                          "AND owner = ?",
                          "AND CAST(? AS uuid) IS NOT NULL")),
              "it only spares those who are in no queue a transaction"),
          new EquivalentMutant(
              new Mutant(
                  "removing the dead, name dropped",
                  SharedLeasePrograms.RENEWED_LATE,
                  Mutation.none()
                      .rewriting(
                          SharedLeaseMutants.REMOVE,
                          "AND name = ? AND expires_at",
                          "AND CAST(? AS text) IS NOT NULL AND expires_at")),
              "who has run out counts for no lease"));

  private EquivalentLeases() {}
}
