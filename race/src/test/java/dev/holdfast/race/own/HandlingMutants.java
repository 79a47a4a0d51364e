package dev.holdfast.race.own;

import java.util.List;

/** Claims, completions, rescues and leases without one of their conditions, locks or counts. */
final class HandlingMutants {
  private static final String CLAIM = "WITH found AS";
  private static final String LOCK = " FOR UPDATE SKIP LOCKED";
  private static final String END = "AND e.version = ? AND e.status <> 0";
  private static final String RESCUE = "WITH lost AS";
  private static final String ANY_VERSION = "CAST(? AS integer) IS NOT NULL";

  static final List<Mutant> ALL =
      List.of(
          new Mutant(
              "claim, lock and condition on the status dropped",
              HandlingPrograms.CLAIM,
              claiming(LOCK, "").rewriting(CLAIM, " AND e.status <> 1", "")),
          new Mutant(
              "claim, lock and condition on the status dropped (three)",
              HandlingPrograms.CLAIM_BY_THREE,
              claiming(LOCK, "").rewriting(CLAIM, " AND e.status <> 1", "")),
          new Mutant("claim, lock dropped", HandlingPrograms.CLAIM_OTHERS, claiming(LOCK, "")),
          new Mutant(
              "claim, waits for locks",
              HandlingPrograms.CLAIM_BESIDE,
              claiming(" SKIP LOCKED", "")),
          new Mutant(
              "claim, looks also at what is claimed",
              HandlingPrograms.CLAIM_OTHERS,
              claiming("status = 0 AND", "")),
          new Mutant(
              "claim, condition on the lease dropped",
              HandlingPrograms.CLAIM_WITHOUT_LEASE,
              claiming("WHERE id = ? AND expires_at > statement_timestamp()", "WHERE id = ?"),
              /* alone= */ true),
          new Mutant(
              "completion, condition on the version dropped",
              HandlingPrograms.COMPLETE_OR_RESCUE,
              Mutation.none().rewriting(END, "e.version = ?", ANY_VERSION)),
          new Mutant(
              "completion, answer ignored",
              HandlingPrograms.COMPLETE_OR_RESCUE,
              Mutation.none()
                  .rewriting(END, ") INSERT INTO", "), kept AS (INSERT INTO")
                  .rewriting(END, "RETURNING h.id", "RETURNING h.id) SELECT 1")),
          new Mutant(
              "putting back, condition on the version dropped",
              HandlingPrograms.PUT_BACK_OR_RESCUE,
              Mutation.none().rewriting("attempts + ?", "AND version = ?", "AND " + ANY_VERSION)),
          new Mutant(
              "putting back, answer ignored",
              HandlingPrograms.PUT_BACK_OR_RESCUE,
              Mutation.none()
                  .rewriting("attempts + ?", "UPDATE holdfast", "WITH b AS (UPDATE holdfast")
                  .rewriting("attempts + ?", "RETURNING id", "RETURNING id) SELECT 1")),
          new Mutant(
              "beginning, condition on the version dropped",
              HandlingPrograms.BEGIN_OR_RESCUE,
              Mutation.none().rewriting("SET begun", "AND version = ?", "AND " + ANY_VERSION)),
          new Mutant(
              "rescue, lock and condition on the status dropped",
              HandlingPrograms.RESCUE,
              rescuing(LOCK, "").rewriting(RESCUE, " AND e.status <> 0", "")),
          new Mutant("rescue, lock dropped", HandlingPrograms.RESCUE_AND_CLAIM, rescuing(LOCK, "")),
          new Mutant(
              "rescue, waits for locks",
              HandlingPrograms.RESCUE_BESIDE,
              rescuing(" SKIP LOCKED", "")),
          new Mutant(
              "rescue, condition on the owner dropped",
              HandlingPrograms.RESCUE_LIVING,
              rescuing("owner = ANY(?::bigint[])", "?::bigint[] IS NOT NULL")),
          new Mutant(
              "uncounting a crash, condition on the crashes dropped",
              HandlingPrograms.UNCOUNT,
              Mutation.none()
                  .rewriting("crashes - 1", "AND crashes = ?", "AND CAST(? AS integer) > 0"),
              /* alone= */ true),
          new Mutant(
              "renewal, condition on the lease dropped",
              HandlingPrograms.RENEW_OR_RESCUE,
              Mutation.none()
                  .rewriting(
                      "UPDATE holdfast_instance", " AND expires_at > statement_timestamp()", "")),
          new Mutant(
              "forgetting instances, condition on the time dropped",
              HandlingPrograms.FORGET_INSTANCE,
              Mutation.none()
                  .rewriting(
                      "DELETE FROM holdfast_instance", "expires_at <=", "TRUE OR expires_at <=")));

  private HandlingMutants() {}

  private static Mutation claiming(String text, String instead) {
    return Mutation.none().rewriting(CLAIM, text, instead);
  }

  private static Mutation rescuing(String text, String instead) {
    return Mutation.none().rewriting(RESCUE, text, instead);
  }
}
