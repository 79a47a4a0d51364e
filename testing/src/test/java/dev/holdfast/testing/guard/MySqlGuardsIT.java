package dev.holdfast.testing.guard;

import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.contract.LockOrderContract;
import dev.holdfast.testing.contract.RollupContract;
import dev.holdfast.testing.contract.RowLocksContract;
import dev.holdfast.testing.contract.UpdateContract;
import org.junit.jupiter.api.Nested;

/** The guards keep their contracts on MySQL. */
class MySqlGuardsIT {
  @Nested
  class Updates extends UpdateContract {
    Updates() {
      super(TestDatabase.mySql());
    }
  }

  @Nested
  class Locks extends RowLocksContract {
    Locks() {
      super(TestDatabase.mySql());
    }
  }

  @Nested
  class OrderOfLocks extends LockOrderContract {
    OrderOfLocks() {
      super(TestDatabase.mySql());
    }
  }

  @Nested
  class Rollups extends RollupContract {
    Rollups() {
      super(TestDatabase.mySql());
    }
  }
}
