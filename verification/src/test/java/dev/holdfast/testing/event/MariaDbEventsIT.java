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
import dev.holdfast.testing.contract.SilentCutContract;
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
import dev.holdfast.testing.contract.WorkerSilenceContract;
import org.junit.jupiter.api.Nested;

/** Events keep their contracts on MariaDB. */
class MariaDbEventsIT {
  @Nested
  class Scheduling extends EventScheduleContract {
    Scheduling() {
      super(TestDatabase.mariaDb());
    }
  }

  @Nested
  class Input extends EventInputContract {
    Input() {
      super(TestDatabase.mariaDb());
    }
  }

  @Nested
  class Changes extends EventChangesContract {
    Changes() {
      super(TestDatabase.mariaDb());
    }
  }

  @Nested
  class Workers extends WorkerContract {
    Workers() {
      super(TestDatabase.mariaDb());
    }
  }

  @Nested
  class WorkerControls extends WorkerControlContract {
    WorkerControls() {
      super(TestDatabase.mariaDb());
    }
  }

  @Nested
  class WorkerRaces extends WorkerRaceContract {
    WorkerRaces() {
      super(TestDatabase.mariaDb());
    }
  }

  @Nested
  class Store extends EventStoreContract {
    Store() {
      super(TestDatabase.mariaDb());
    }
  }

  @Nested
  class Limits extends LimitsContract {
    Limits() {
      super(TestDatabase.mariaDb());
    }
  }

  @Nested
  class LimitedClaims extends LimitedClaimContract {
    LimitedClaims() {
      super(TestDatabase.mariaDb());
    }
  }

  @Nested
  class WorkerLosses extends WorkerLeaseLossContract {
    WorkerLosses() {
      super(TestDatabase.mariaDb());
    }
  }

  @Nested
  class WorkerErrors extends WorkerErrorContract {
    WorkerErrors() {
      super(TestDatabase.mariaDb());
    }
  }

  @Nested
  class Batches extends BatchHandlerContract {
    Batches() {
      super(TestDatabase.mariaDb());
    }
  }

  @Nested
  class OrderingKeys extends OrderingKeysContract {
    OrderingKeys() {
      super(TestDatabase.mariaDb());
    }
  }

  @Nested
  class AsyncHandlers extends AsyncHandlersContract {
    AsyncHandlers() {
      super(TestDatabase.mariaDb());
    }
  }

  @Nested
  class WorkerLooks extends WorkerPollingContract {
    WorkerLooks() {
      super(TestDatabase.mariaDb());
    }
  }

  @Nested
  class WorkerPools extends WorkerPoolContract {
    WorkerPools() {
      super(TestDatabase.mariaDb());
    }
  }

  @Nested
  class WorkerServices extends WorkerServicesContract {
    WorkerServices() {
      super(TestDatabase.mariaDb());
    }
  }

  @Nested
  class WorkerCrashes extends WorkerCrashContract {
    WorkerCrashes() {
      super(TestDatabase.mariaDb());
    }
  }

  @Nested
  class Recovery extends RecoveryContract {
    Recovery() {
      super(TestDatabase.mariaDb());
    }
  }

  @Nested
  class HeldRows extends HeldRowsContract {
    HeldRows() {
      super(TestDatabase.mariaDb());
    }
  }

  @Nested
  class WorkerOutages extends WorkerOutageContract {
    WorkerOutages() {
      super(TestDatabase.mariaDb());
    }
  }

  @Nested
  class SilentCuts extends SilentCutContract {
    SilentCuts() {
      super(TestDatabase.mariaDb());
    }
  }

  @Nested
  class WorkerSilence extends WorkerSilenceContract {
    WorkerSilence() {
      super(TestDatabase.mariaDb());
    }
  }

  @Nested
  class WorkerLogs extends WorkerLogContract {
    WorkerLogs() {
      super(TestDatabase.mariaDb());
    }
  }

  @Nested
  class StubbornHandlers extends StubbornHandlerContract {
    StubbornHandlers() {
      super(TestDatabase.mariaDb());
    }
  }

  @Nested
  class CurrentTransactions extends CurrentTransactionContract {
    CurrentTransactions() {
      super(TestDatabase.mariaDb());
    }
  }

  @Nested
  class JoinedChanges extends EventChangesJoinedContract {
    JoinedChanges() {
      super(TestDatabase.mariaDb());
    }
  }
}
