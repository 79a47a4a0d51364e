package dev.holdfast.race.own;

import java.util.List;

/**
 * Where MariaDB has statements of its own: without one of their conditions or locks.
 *
 * <p>Not told apart from Holdfast, for the rows are locked before: putting back without its
 * condition on the version alone, and taking a key over without its lock and its condition, because
 * the insert before it locks the key, taken or not.
 */
final class MariaDbMutants {
  private static final String SKIPPING = " FOR UPDATE SKIP LOCKED";
  private static final String LOCK = " FOR UPDATE";
  private static final String CLAIM = "SELECT e.id, e.version";
  private static final String TAKE = "running_key = ordering_key";
  private static final String RESCUE = "AND owner IN (";
  private static final String RESCUED = "SET attempts = attempts - CASE";
  private static final String CANCEL = "SET status = 1, version = version + 1 WHERE";

  static final List<Mutant> ALL =
      List.of(
          new Mutant(
              "versioned update, condition on the version dropped",
              GuardPrograms.VERSIONED,
              Mutation.none().rewriting("UPDATE", "AND `version` = ?", "AND ? IS NOT NULL")),
          new Mutant(
              "decrease, condition on what is left dropped",
              GuardPrograms.DECREASED,
              Mutation.none().rewriting("UPDATE", "ELSE FALSE END", "ELSE TRUE END")),
          new Mutant(
              "mark once, condition on null dropped",
              GuardPrograms.MARKED,
              Mutation.none().rewriting("UPDATE", "AND `used_by` IS NULL", "")),
          new Mutant(
              "row locks, lock dropped",
              RowPrograms.TRANSFER,
              Mutation.none().rewriting("SELECT", LOCK, "")),
          new Mutant(
              "sweep, lock and repeated condition dropped",
              RowPrograms.SWEPT,
              Mutation.none()
                  .rewriting("AS holdfast_key", SKIPPING, "")
                  .rewriting("UPDATE `task`", "AND `status` = ?", "AND ? IS NOT NULL")),
          new Mutant(
              "claim, lock and repeated condition on the status dropped",
              HandlingPrograms.CLAIM,
              Mutation.none().rewriting(CLAIM, SKIPPING, "").rewriting(TAKE, "AND status = 0", "")),
          new Mutant(
              "claim, waits for locks",
              HandlingPrograms.CLAIM_BESIDE,
              Mutation.none().rewriting(CLAIM, " SKIP LOCKED", "")),
          new Mutant(
              "completion, lock dropped",
              HandlingPrograms.COMPLETE_OR_RESCUE,
              Mutation.none().rewriting("SELECT id, version FROM", LOCK, "")),
          new Mutant(
              "putting back, lock and condition on the version dropped",
              HandlingPrograms.PUT_BACK_OR_RESCUE,
              Mutation.none()
                  .rewriting("SELECT id, version FROM", LOCK, "")
                  .rewriting("attempts + ?", "AND version = ?", "AND ? IS NOT NULL")),
          new Mutant(
              "rescue, lock and repeated condition on the status dropped",
              HandlingPrograms.RESCUE,
              Mutation.none()
                  .rewriting(RESCUE, SKIPPING, "")
                  .rewriting(RESCUED, "AND status = 1", "")),
          new Mutant(
              "rescue, waits for locks",
              HandlingPrograms.RESCUE_BESIDE,
              Mutation.none().rewriting(RESCUE, " SKIP LOCKED", "")),
          new Mutant(
              "cancelling, condition on the status dropped",
              ChangePrograms.CANCEL_OR_CLAIM,
              Mutation.none().rewriting(CANCEL, "AND status = 0", "")),
          new Mutant(
              "cancelling, condition on the version dropped",
              ChangePrograms.CANCEL_OR_CHANGE,
              Mutation.none().rewriting(CANCEL, "version = ? AND", "? IS NOT NULL AND")),
          new Mutant(
              "key, clause about duplicates dropped",
              KeyPrograms.KEEP,
              Mutation.none()
                  .rewriting(
                      "INSERT INTO holdfast_event_key", " ON DUPLICATE KEY UPDATE id = id", "")),
          new Mutant(
              "limited claim, lock of the limit dropped",
              OrderPrograms.LIMITED,
              Mutation.none().rewriting("FROM holdfast_limit", LOCK, "")));

  private MariaDbMutants() {}
}
