package dev.holdfast.testing.event;

import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.contract.ManualWorkerContract;
import dev.holdfast.testing.contract.ManualWorkerLeaseContract;
import dev.holdfast.testing.contract.TestClockContract;
import org.junit.jupiter.api.Nested;

/** Workers driven by hand, and the clock of a test, keep their contracts on PostgreSQL. */
class PostgreSqlHandWorkersIT {
  @Nested
  class HandWorkers extends ManualWorkerContract {
    HandWorkers() {
      super(TestDatabase.postgreSql());
    }
  }

  @Nested
  class Clocks extends TestClockContract {
    Clocks() {
      super(TestDatabase.postgreSql());
    }
  }

  @Nested
  class HandWorkerLeases extends ManualWorkerLeaseContract {
    HandWorkerLeases() {
      super(TestDatabase.postgreSql());
    }
  }
}
