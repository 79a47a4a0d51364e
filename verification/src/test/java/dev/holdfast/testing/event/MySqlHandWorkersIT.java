package dev.holdfast.testing.event;

import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.contract.ManualWorkerContract;
import dev.holdfast.testing.contract.ManualWorkerLeaseContract;
import dev.holdfast.testing.contract.TestClockContract;
import org.junit.jupiter.api.Nested;

/** Workers driven by hand, and the clock of a test, keep their contracts on MySQL. */
class MySqlHandWorkersIT {
  @Nested
  class HandWorkers extends ManualWorkerContract {
    HandWorkers() {
      super(TestDatabase.mySql());
    }
  }

  @Nested
  class Clocks extends TestClockContract {
    Clocks() {
      super(TestDatabase.mySql());
    }
  }

  @Nested
  class HandWorkerLeases extends ManualWorkerLeaseContract {
    HandWorkerLeases() {
      super(TestDatabase.mySql());
    }
  }
}
