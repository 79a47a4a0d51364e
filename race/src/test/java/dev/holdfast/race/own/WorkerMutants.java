package dev.holdfast.race.own;

import java.util.List;

/** Workers that do not notice that they have lost an event. */
final class WorkerMutants {
  private static final String END = "AND e.version = ? AND e.status <> 0";

  static final List<Mutant> ALL =
      List.of(
          new Mutant(
              "completion in the handler's transaction, answer ignored",
              WorkerPrograms.IN_TRANSACTION,
              Mutation.none()
                  .rewriting(END, ") INSERT INTO", "), kept AS (INSERT INTO")
                  .rewriting(END, "RETURNING h.id", "RETURNING h.id) SELECT 1")));

  private WorkerMutants() {}
}
