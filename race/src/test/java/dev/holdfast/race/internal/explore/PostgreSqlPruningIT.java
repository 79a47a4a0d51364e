package dev.holdfast.race.internal.explore;

import dev.holdfast.testing.TestDatabase;
import dev.holdfast.transaction.Isolation;
import java.util.List;

class PostgreSqlPruningIT extends PruningContract {
  PostgreSqlPruningIT() {
    super(
        TestDatabase.postgreSql(),
        Isolation.READ_COMMITTED,
        Isolation.REPEATABLE_READ,
        Isolation.SERIALIZABLE);
  }

  /** Where a page is full an index changes too, and serializable readers of it are in conflict. */
  @Override
  void tidyUp() {
    schema().execute("vacuum full account", "vacuum full entry");
  }

  @Override
  List<Program> ownPrograms() {
    return List.of(
        Program.copies(
            "claim one that is free",
            2,
            "begin",
            "select id from account where amount > 0 order by id limit 1 for update skip locked",
            "update account set amount = 0 where id = :last",
            "commit"),
        Program.of(
            "claim blindly one that is free",
            List.of("begin", claimBlindly(1), "commit"),
            List.of("begin", claimBlindly(2), "commit")),
        Program.copies(
            "try a lock",
            2,
            "begin",
            "select case when pg_try_advisory_xact_lock(7) then 1 else 0 end",
            "update account set amount = amount + :last where id = 1",
            "commit"));
  }

  private static String claimBlindly(int owner) {
    return """
        update account set amount = -%d where id =
          (select id from account where amount > 0 order by id limit 1 for update skip locked)
        """
        .formatted(owner);
  }
}
