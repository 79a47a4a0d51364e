package dev.holdfast.testing.lease;

import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.contract.LeaseDefectsContract;
import dev.holdfast.testing.contract.LeaseInputContract;
import dev.holdfast.testing.contract.LeaseReleaseContract;
import dev.holdfast.testing.contract.LeaseStoreFixture;
import dev.holdfast.testing.contract.LeaseThreadsContract;
import dev.holdfast.testing.contract.SqlLeaseDefectsContract;
import dev.holdfast.testing.contract.SqlLeaseFaultsContract;
import org.junit.jupiter.api.Nested;

/** Leases on MySQL have none of the known defects of others. */
class MySqlLeaseDefectsIT {
  private static LeaseStoreFixture place() {
    return LeaseStoreFixture.on(TestDatabase.mySql());
  }

  @Nested
  class Defects extends LeaseDefectsContract {
    Defects() {
      super(MySqlLeaseDefectsIT::place);
    }
  }

  @Nested
  class GivingBack extends LeaseReleaseContract {
    GivingBack() {
      super(MySqlLeaseDefectsIT::place);
    }
  }

  @Nested
  class Threads extends LeaseThreadsContract {
    Threads() {
      super(MySqlLeaseDefectsIT::place);
    }
  }

  @Nested
  class Input extends LeaseInputContract {
    Input() {
      super(MySqlLeaseDefectsIT::place);
    }
  }

  @Nested
  class Sql extends SqlLeaseDefectsContract {
    Sql() {
      super(TestDatabase.mySql());
    }
  }

  @Nested
  class Faults extends SqlLeaseFaultsContract {
    Faults() {
      super(TestDatabase.mySql());
    }
  }
}
