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

/** Leases on PostgreSQL have none of the known defects of others. */
class PostgreSqlLeaseDefectsIT {
  private static LeaseStoreFixture place() {
    return LeaseStoreFixture.on(TestDatabase.postgreSql());
  }

  @Nested
  class Defects extends LeaseDefectsContract {
    Defects() {
      super(PostgreSqlLeaseDefectsIT::place);
    }
  }

  @Nested
  class GivingBack extends LeaseReleaseContract {
    GivingBack() {
      super(PostgreSqlLeaseDefectsIT::place);
    }
  }

  @Nested
  class Threads extends LeaseThreadsContract {
    Threads() {
      super(PostgreSqlLeaseDefectsIT::place);
    }
  }

  @Nested
  class Input extends LeaseInputContract {
    Input() {
      super(PostgreSqlLeaseDefectsIT::place);
    }
  }

  @Nested
  class Sql extends SqlLeaseDefectsContract {
    Sql() {
      super(TestDatabase.postgreSql());
    }
  }

  @Nested
  class Faults extends SqlLeaseFaultsContract {
    Faults() {
      super(TestDatabase.postgreSql());
    }
  }
}
