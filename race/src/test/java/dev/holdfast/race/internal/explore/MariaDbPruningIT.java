package dev.holdfast.race.internal.explore;

import dev.holdfast.testing.TestDatabase;
import dev.holdfast.transaction.Isolation;
import java.util.List;

class MariaDbPruningIT extends PruningContract {
  MariaDbPruningIT() {
    super(TestDatabase.mariaDb(), Isolation.READ_COMMITTED, Isolation.REPEATABLE_READ);
  }

  @Override
  List<Program> ownPrograms() {
    return List.of(
        Program.copies(
            "lock nothing, then insert",
            2,
            "begin",
            "select count(*) from entry where name = 'new' for update",
            "insert into entry values ('new', 1)",
            "commit"));
  }
}
