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
import dev.holdfast.testing.contract.NotificationListenerContract;
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

/** Events keep their contracts on PostgreSQL. */
class PostgreSqlEventsIT {
  @Nested
  class Scheduling extends EventScheduleContract {
    Scheduling() {
      super(TestDatabase.postgreSql());
    }
  }

  @Nested
  class Input extends EventInputContract {
    Input() {
      super(TestDatabase.postgreSql());
    }
  }

  @Nested
  class Changes extends EventChangesContract {
    Changes() {
      super(TestDatabase.postgreSql());
    }
  }

  @Nested
  class Workers extends WorkerContract {
    Workers() {
      super(TestDatabase.postgreSql());
    }
  }

  @Nested
  class WorkerControls extends WorkerControlContract {
    WorkerControls() {
      super(TestDatabase.postgreSql());
    }
  }

  @Nested
  class WorkerRaces extends WorkerRaceContract {
    WorkerRaces() {
      super(TestDatabase.postgreSql());
    }
  }

  @Nested
  class Store extends EventStoreContract {
    Store() {
      super(TestDatabase.postgreSql());
    }
  }

  @Nested
  class Limits extends LimitsContract {
    Limits() {
      super(TestDatabase.postgreSql());
    }
  }

  @Nested
  class LimitedClaims extends LimitedClaimContract {
    LimitedClaims() {
      super(TestDatabase.postgreSql());
    }
  }

  @Nested
  class WorkerLosses extends WorkerLeaseLossContract {
    WorkerLosses() {
      super(TestDatabase.postgreSql());
    }
  }

  @Nested
  class WorkerErrors extends WorkerErrorContract {
    WorkerErrors() {
      super(TestDatabase.postgreSql());
    }
  }

  @Nested
  class Listening extends NotificationListenerContract {
    Listening() {
      super(TestDatabase.postgreSql());
    }
  }

  @Nested
  class Batches extends BatchHandlerContract {
    Batches() {
      super(TestDatabase.postgreSql());
    }
  }

  @Nested
  class OrderingKeys extends OrderingKeysContract {
    OrderingKeys() {
      super(TestDatabase.postgreSql());
    }
  }

  @Nested
  class AsyncHandlers extends AsyncHandlersContract {
    AsyncHandlers() {
      super(TestDatabase.postgreSql());
    }
  }

  @Nested
  class WorkerLooks extends WorkerPollingContract {
    WorkerLooks() {
      super(TestDatabase.postgreSql());
    }
  }

  @Nested
  class WorkerPools extends WorkerPoolContract {
    WorkerPools() {
      super(TestDatabase.postgreSql());
    }
  }

  @Nested
  class WorkerServices extends WorkerServicesContract {
    WorkerServices() {
      super(TestDatabase.postgreSql());
    }
  }

  @Nested
  class WorkerCrashes extends WorkerCrashContract {
    WorkerCrashes() {
      super(TestDatabase.postgreSql());
    }
  }

  @Nested
  class Recovery extends RecoveryContract {
    Recovery() {
      super(TestDatabase.postgreSql());
    }
  }

  @Nested
  class HeldRows extends HeldRowsContract {
    HeldRows() {
      super(TestDatabase.postgreSql());
    }
  }

  @Nested
  class WorkerOutages extends WorkerOutageContract {
    WorkerOutages() {
      super(TestDatabase.postgreSql());
    }
  }

  @Nested
  class SilentCuts extends SilentCutContract {
    SilentCuts() {
      super(TestDatabase.postgreSql());
    }
  }

  @Nested
  class WorkerSilence extends WorkerSilenceContract {
    WorkerSilence() {
      super(TestDatabase.postgreSql());
    }
  }

  @Nested
  class WorkerLogs extends WorkerLogContract {
    WorkerLogs() {
      super(TestDatabase.postgreSql());
    }
  }

  @Nested
  class StubbornHandlers extends StubbornHandlerContract {
    StubbornHandlers() {
      super(TestDatabase.postgreSql());
    }
  }

  @Nested
  class CurrentTransactions extends CurrentTransactionContract {
    CurrentTransactions() {
      super(TestDatabase.postgreSql());
    }
  }

  @Nested
  class JoinedChanges extends EventChangesJoinedContract {
    JoinedChanges() {
      super(TestDatabase.postgreSql());
    }
  }
}
