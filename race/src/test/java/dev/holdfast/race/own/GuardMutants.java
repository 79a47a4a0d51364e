package dev.holdfast.race.own;

import java.util.List;

/** Guards without one of their conditions, locks or counts. */
final class GuardMutants {
  private static final String LOCK = " FOR NO KEY UPDATE";

  static final List<Mutant> ALL =
      List.of(
          new Mutant(
              "versioned update, condition on the version dropped",
              GuardPrograms.VERSIONED,
              Mutation.none().rewriting("UPDATE", "AND \"version\" = ?", "AND ? IS NOT NULL")),
          new Mutant(
              "versioned update, condition on the version dropped (three)",
              GuardPrograms.VERSIONED_BY_THREE,
              Mutation.none().rewriting("UPDATE", "AND \"version\" = ?", "AND ? IS NOT NULL")),
          new Mutant(
              "versioned update, version does not grow",
              GuardPrograms.VERSIONED,
              Mutation.none().rewriting("UPDATE", "\"version\" + 1", "\"version\"")),
          new Mutant(
              "versioned update, row count ignored",
              GuardPrograms.VERSIONED,
              Mutation.none().counting("UPDATE", 1)),
          new Mutant(
              "expecting update, condition on the column dropped",
              GuardPrograms.EXPECTED,
              Mutation.none()
                  .rewriting("UPDATE", "AND \"status\" = ?", "AND CAST(? AS text) IS NOT NULL")),
          new Mutant(
              "expecting update, row count ignored",
              GuardPrograms.EXPECTED,
              Mutation.none().counting("UPDATE", 1)),
          new Mutant(
              "decrease, condition on what is left dropped",
              GuardPrograms.DECREASED,
              Mutation.none().rewriting("UPDATE", "ELSE FALSE END", "ELSE TRUE END")),
          new Mutant(
              "decrease, row count ignored",
              GuardPrograms.DECREASED,
              Mutation.none().counting("UPDATE", 1)),
          new Mutant(
              "increase, condition on the most dropped",
              GuardPrograms.INCREASED,
              Mutation.none().rewriting("UPDATE", "ELSE FALSE END", "ELSE TRUE END")),
          new Mutant(
              "mark once, condition on null dropped",
              GuardPrograms.MARKED,
              Mutation.none().rewriting("UPDATE", "AND \"used_by\" IS NULL", "")),
          new Mutant(
              "mark once, row count ignored",
              GuardPrograms.MARKED,
              Mutation.none().counting("UPDATE", 1)),
          new Mutant(
              "transition, condition on the state dropped",
              GuardPrograms.MOVED,
              Mutation.none().rewriting("UPDATE", ") AND (", ") OR (")),
          new Mutant(
              "transition, row count ignored",
              GuardPrograms.MOVED,
              Mutation.none().counting("UPDATE", 1)),
          new Mutant(
              "transition, condition on the reference dropped",
              GuardPrograms.REFERRED,
              Mutation.none().rewriting("UPDATE", "\"payment\" IS NULL OR", "TRUE OR")),
          new Mutant(
              "create once, clause about conflicts dropped",
              GuardPrograms.CREATED,
              Mutation.none().rewriting("INSERT", " ON CONFLICT DO NOTHING", "")),
          new Mutant(
              "create once, conflict overwrites",
              GuardPrograms.CREATED,
              Mutation.none()
                  .rewriting(
                      "INSERT",
                      " ON CONFLICT DO NOTHING",
                      " ON CONFLICT (id) DO UPDATE SET quantity = EXCLUDED.quantity")),
          new Mutant(
              "row locks, lock dropped",
              RowPrograms.TRANSFER,
              Mutation.none().rewriting("SELECT", LOCK, "")),
          new Mutant(
              "row locks, order dropped",
              RowPrograms.TRANSFER_OF_THREE,
              Mutation.none()
                  .rewriting("SELECT", "ORDER BY \"id\"", "ORDER BY \"id\" DESC")
                  .onlyOf("Ben")),
          new Mutant(
              "roll-up, lock of the parent dropped",
              RowPrograms.ROLLED_UP,
              Mutation.none().rewriting("SELECT", LOCK, "")),
          new Mutant(
              "sweep, lock and repeated condition dropped",
              RowPrograms.SWEPT_AND_TAKEN,
              Mutation.none()
                  .rewriting("holdfast_stuck", LOCK + " SKIP LOCKED", "")
                  .rewriting("holdfast_stuck", ") IS TRUE", " OR TRUE)")),
          new Mutant(
              "sweep, lock and repeated condition dropped (two sweeps)",
              RowPrograms.SWEPT,
              Mutation.none()
                  .rewriting("holdfast_stuck", LOCK + " SKIP LOCKED", "")
                  .rewriting("holdfast_stuck", ") IS TRUE", " OR TRUE)")),
          new Mutant(
              "sweep, lock dropped",
              RowPrograms.SWEPT_BESIDE,
              Mutation.none().rewriting("holdfast_stuck", LOCK + " SKIP LOCKED", "")),
          new Mutant(
              "sweep, waits for locks",
              RowPrograms.SWEPT_BESIDE,
              Mutation.none().rewriting("holdfast_stuck", " SKIP LOCKED", "")),
          new Mutant(
              "sweep, version does not grow",
              RowPrograms.SWEPT_BESIDE,
              Mutation.none()
                  .rewriting(
                      "holdfast_stuck",
                      "COALESCE(\"version\", 0) + 1",
                      "COALESCE(\"version\", 0)")));

  private GuardMutants() {}
}
