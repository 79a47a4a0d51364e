package dev.holdfast.testing.event;

import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.contract.AsyncHandlersContract;
import dev.holdfast.testing.contract.BatchHandlerContract;
import dev.holdfast.testing.contract.CurrentTransactionContract;
import dev.holdfast.testing.contract.EventChangesContract;
import dev.holdfast.testing.contract.EventChangesJoinedContract;
import dev.holdfast.testing.contract.EventInputContract;
import dev.holdfast.testing.contract.EventScheduleContract;
import dev.holdfast.testing.contract.EventStoreContract;
import dev.holdfast.testing.contract.HeldRowsContract;
import dev.holdfast.testing.contract.LimitedClaimContract;
import dev.holdfast.testing.contract.LimitsContract;
import dev.holdfast.testing.contract.OrderingKeysContract;
import dev.holdfast.testing.contract.RecoveryContract;
import dev.holdfast.testing.contract.StubbornHandlerContract;
import dev.holdfast.testing.contract.WorkerContract;
import dev.holdfast.testing.contract.WorkerControlContract;
import dev.holdfast.testing.contract.WorkerCrashContract;
import dev.holdfast.testing.contract.WorkerErrorContract;
import dev.holdfast.testing.contract.WorkerLeaseLossContract;
import dev.holdfast.testing.contract.WorkerLogContract;
import dev.holdfast.testing.contract.WorkerOutageContract;
import dev.holdfast.testing.contract.WorkerPollingContract;
import dev.holdfast.testing.contract.WorkerPoolContract;
import dev.holdfast.testing.contract.WorkerRaceContract;
import dev.holdfast.testing.contract.WorkerServicesContract;
import org.junit.jupiter.api.Nested;

/** Events keep their contracts on H2. */
class H2EventsIT {
  @Nested
  class Scheduling extends EventScheduleContract {
    Scheduling() {
      super(TestDatabase.h2());
    }
  }

  @Nested
  class Input extends EventInputContract {
    Input() {
      super(TestDatabase.h2());
    }
  }

  @Nested
  class Changes extends EventChangesContract {
    Changes() {
      super(TestDatabase.h2());
    }
  }

  @Nested
  class Workers extends WorkerContract {
    Workers() {
      super(TestDatabase.h2());
    }
  }

  @Nested
  class WorkerControls extends WorkerControlContract {
    WorkerControls() {
      super(TestDatabase.h2());
    }
  }

  @Nested
  class WorkerRaces extends WorkerRaceContract {
    WorkerRaces() {
      super(TestDatabase.h2());
    }
  }

  @Nested
  class Store extends EventStoreContract {
    Store() {
      super(TestDatabase.h2());
    }
  }

  @Nested
  class Limits extends LimitsContract {
    Limits() {
      super(TestDatabase.h2());
    }
  }

  @Nested
  class LimitedClaims extends LimitedClaimContract {
    LimitedClaims() {
      super(TestDatabase.h2());
    }
  }

  @Nested
  class WorkerLosses extends WorkerLeaseLossContract {
    WorkerLosses() {
      super(TestDatabase.h2());
    }
  }

  @Nested
  class WorkerErrors extends WorkerErrorContract {
    WorkerErrors() {
      super(TestDatabase.h2());
    }
  }

  @Nested
  class Batches extends BatchHandlerContract {
    Batches() {
      super(TestDatabase.h2());
    }
  }

  @Nested
  class OrderingKeys extends OrderingKeysContract {
    OrderingKeys() {
      super(TestDatabase.h2());
    }
  }

  @Nested
  class AsyncHandlers extends AsyncHandlersContract {
    AsyncHandlers() {
      super(TestDatabase.h2());
    }
  }

  @Nested
  class WorkerLooks extends WorkerPollingContract {
    WorkerLooks() {
      super(TestDatabase.h2());
    }
  }

  @Nested
  class WorkerPools extends WorkerPoolContract {
    WorkerPools() {
      super(TestDatabase.h2());
    }
  }

  @Nested
  class WorkerServices extends WorkerServicesContract {
    WorkerServices() {
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

  @Nested
  class WorkerLogs extends WorkerLogContract {
    WorkerLogs() {
      super(TestDatabase.h2());
    }
  }

  @Nested
  class StubbornHandlers extends StubbornHandlerContract {
    StubbornHandlers() {
      super(TestDatabase.h2());
    }
  }

  @Nested
  class CurrentTransactions extends CurrentTransactionContract {
    CurrentTransactions() {
      super(TestDatabase.h2());
    }
  }

  @Nested
  class JoinedChanges extends EventChangesJoinedContract {
    JoinedChanges() {
      super(TestDatabase.h2());
    }
  }
}
