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

/** Leases on H2 have none of the known defects of others. */
class H2LeaseDefectsIT {
  private static LeaseStoreFixture place() {
    return LeaseStoreFixture.on(TestDatabase.h2());
  }

  @Nested
  class Defects extends LeaseDefectsContract {
    Defects() {
      super(H2LeaseDefectsIT::place);
    }
  }

  @Nested
  class GivingBack extends LeaseReleaseContract {
    GivingBack() {
      super(H2LeaseDefectsIT::place);
    }
  }

  @Nested
  class Threads extends LeaseThreadsContract {
    Threads() {
      super(H2LeaseDefectsIT::place);
    }
  }

  @Nested
  class Input extends LeaseInputContract {
    Input() {
      super(H2LeaseDefectsIT::place);
    }
  }

  @Nested
  class Sql extends SqlLeaseDefectsContract {
    Sql() {
      super(TestDatabase.h2());
    }
  }

  @Nested
  class Faults extends SqlLeaseFaultsContract {
    Faults() {
      super(TestDatabase.h2());
    }
  }
}
