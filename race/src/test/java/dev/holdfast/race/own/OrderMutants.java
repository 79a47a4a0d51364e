package dev.holdfast.race.own;

import java.util.List;

/** Claims in order and under limits without one of their conditions or locks. */
final class OrderMutants {
  private static final String CLAIM = "WITH found AS";
  private static final String FIRST = "AND due_at <= CASE priority";
  private static final String RUNNING =
      "NOT EXISTS (SELECT 1 FROM holdfast_event r WHERE r.shard = e.shard AND r.ordering_key ="
          + " e.ordering_key AND r.status = 1)";
  private static final String IN_TURN = "e.id = (SELECT f.id";

  static final List<Mutant> ALL =
      List.of(
          new Mutant(
              "claim in order, turn not looked at",
              OrderPrograms.IN_ORDER,
              Mutation.none().rewriting(CLAIM, IN_TURN, "0 < (SELECT f.id")),
          new Mutant(
              "claim in order, whether one runs not looked at",
              OrderPrograms.ONE_AT_A_TIME,
              Mutation.none().rewriting(CLAIM, RUNNING, "TRUE")),
          new Mutant(
              "claim of the next, lock and condition on the status dropped",
              OrderPrograms.FIRST_OF_KEY,
              Mutation.none()
                  .rewriting(FIRST, " FOR UPDATE SKIP LOCKED", "")
                  .rewriting(FIRST, "AND e.status <> 1", "")),
          new Mutant(
              "limited claim, lock of the limit dropped",
              OrderPrograms.LIMITED,
              Mutation.none().rewriting("FROM holdfast_limit", " FOR UPDATE", "")),
          new Mutant(
              "claim that chooses, lock and condition on the status dropped",
              OrderPrograms.CHOSEN,
              Mutation.none()
                  .rewriting("SELECT id, type, limit_key, size FROM", " FOR UPDATE SKIP LOCKED", "")
                  .rewriting("UPDATE holdfast_event e SET status = 1", " AND e.status <> 1", "")),
          new Mutant(
              "claim of plenty, condition on what is left dropped",
              OrderPrograms.LIMITED_WITH_PLENTY,
              Mutation.none().rewriting("WITH slot AS", "at_most + ? <= most_running", "? > 0")),
          new Mutant(
              "claim of plenty, answer of the limit ignored",
              OrderPrograms.LIMITED_WITH_PLENTY,
              Mutation.none().rewriting("WITH slot AS", " AND EXISTS (SELECT 1 FROM slot)", "")));

  private OrderMutants() {}
}
