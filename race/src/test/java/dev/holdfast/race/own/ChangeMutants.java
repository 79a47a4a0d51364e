package dev.holdfast.race.own;

import java.util.List;

/** Changes of single events without one of their conditions or counts. */
final class ChangeMutants {
  static final String CANCEL = "e.status <> 1 RETURNING";
  private static final String CHANGE = "priority = ? WHERE";
  private static final String ASK = "SET cancel_requested = TRUE";
  private static final String ANY_VERSION = "CAST(? AS integer) IS NOT NULL";

  static final List<Mutant> ALL =
      List.of(
          new Mutant(
              "cancelling, condition on the status dropped",
              ChangePrograms.CANCEL_OR_CLAIM,
              Mutation.none().rewriting(CANCEL, "AND e.status <> 1", "")),
          new Mutant(
              "cancelling, condition on the version dropped",
              ChangePrograms.CANCEL_OR_CHANGE,
              Mutation.none().rewriting(CANCEL, "e.version = ?", ANY_VERSION)),
          new Mutant(
              "changing, condition on the version dropped",
              ChangePrograms.CHANGE_OR_CHANGE,
              Mutation.none().rewriting(CHANGE, "version = ?", ANY_VERSION)),
          new Mutant(
              "changing, condition on the status dropped",
              ChangePrograms.CHANGE_OR_CLAIM,
              Mutation.none().rewriting(CHANGE, "AND status = 0", "")),
          new Mutant(
              "changing, row count ignored",
              ChangePrograms.CHANGE_OR_CHANGE,
              Mutation.none().counting(CHANGE, 1)),
          new Mutant(
              "asking to stop, condition on the version dropped",
              ChangePrograms.ASK_TO_STOP,
              Mutation.none().rewriting(ASK, "version = ?", ANY_VERSION)),
          new Mutant(
              "asking to stop, condition on the status dropped",
              ChangePrograms.ASK_TO_STOP_EARLY,
              Mutation.none().rewriting(ASK, "AND status = 1", ""),
              /* alone= */ true));

  private ChangeMutants() {}
}
