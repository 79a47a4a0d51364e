package dev.holdfast.testing.guard;

import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.contract.LockOrderContract;
import dev.holdfast.testing.contract.RollupContract;
import dev.holdfast.testing.contract.RowLocksContract;
import dev.holdfast.testing.contract.UpdateContract;
import org.junit.jupiter.api.Nested;

/** The guards keep their contracts on PostgreSQL. */
class PostgreSqlGuardsIT {
  @Nested
  class Updates extends UpdateContract {
    Updates() {
      super(TestDatabase.postgreSql());
    }
  }

  @Nested
  class Locks extends RowLocksContract {
    Locks() {
      super(TestDatabase.postgreSql());
    }
  }

  @Nested
  class OrderOfLocks extends LockOrderContract {
    OrderOfLocks() {
      super(TestDatabase.postgreSql());
    }
  }

  @Nested
  class Rollups extends RollupContract {
    Rollups() {
      super(TestDatabase.postgreSql());
    }
  }
}
