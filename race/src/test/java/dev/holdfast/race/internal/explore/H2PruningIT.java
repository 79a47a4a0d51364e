package dev.holdfast.race.internal.explore;

import dev.holdfast.testing.TestDatabase;
import dev.holdfast.transaction.Isolation;
import java.util.List;

class H2PruningIT extends PruningContract {
  H2PruningIT() {
    super(TestDatabase.h2(), Isolation.READ_COMMITTED, Isolation.REPEATABLE_READ);
  }

  @Override
  List<Program> ownPrograms() {
    return List.of();
  }
}
