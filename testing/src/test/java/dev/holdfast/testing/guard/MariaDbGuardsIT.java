package dev.holdfast.testing.guard;

import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.contract.LockOrderContract;
import dev.holdfast.testing.contract.RollupContract;
import dev.holdfast.testing.contract.RowLocksContract;
import dev.holdfast.testing.contract.UpdateContract;
import org.junit.jupiter.api.Nested;

/** The guards keep their contracts on MariaDB. */
class MariaDbGuardsIT {
  @Nested
  class Updates extends UpdateContract {
    Updates() {
      super(TestDatabase.mariaDb());
    }
  }

  @Nested
  class Locks extends RowLocksContract {
    Locks() {
      super(TestDatabase.mariaDb());
    }
  }

  @Nested
  class OrderOfLocks extends LockOrderContract {
    OrderOfLocks() {
      super(TestDatabase.mariaDb());
    }
  }

  @Nested
  class Rollups extends RollupContract {
    Rollups() {
      super(TestDatabase.mariaDb());
    }
  }
}
