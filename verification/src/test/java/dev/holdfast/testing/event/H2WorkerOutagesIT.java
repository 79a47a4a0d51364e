package dev.holdfast.testing.event;

import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.contract.HeldRowsContract;
import dev.holdfast.testing.contract.RecoveryContract;
import dev.holdfast.testing.contract.WorkerCrashContract;
import dev.holdfast.testing.contract.WorkerLeaseLossContract;
import dev.holdfast.testing.contract.WorkerOutageContract;
import org.junit.jupiter.api.Nested;

/** Workers keep their contracts on H2 when instances, connections and the database fail. */
class H2WorkerOutagesIT {
  @Nested
  class WorkerLosses extends WorkerLeaseLossContract {
    WorkerLosses() {
      super(TestDatabase.h2());
    }
  }

  @Nested
  class WorkerCrashes extends WorkerCrashContract {
    WorkerCrashes() {
      super(TestDatabase.h2());
    }
  }

  @Nested
  class Recovery extends RecoveryContract {
    Recovery() {
      super(TestDatabase.h2());
    }
  }

  @Nested
  class HeldRows extends HeldRowsContract {
    HeldRows() {
      super(TestDatabase.h2());
    }
  }

  @Nested
  class WorkerOutages extends WorkerOutageContract {
    WorkerOutages() {
      super(TestDatabase.h2());
    }
  }
}
