package dev.holdfast.testing.event;

import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.contract.HeldRowsContract;
import dev.holdfast.testing.contract.RecoveryContract;
import dev.holdfast.testing.contract.SilentCutContract;
import dev.holdfast.testing.contract.WorkerCrashContract;
import dev.holdfast.testing.contract.WorkerLeaseLossContract;
import dev.holdfast.testing.contract.WorkerOutageContract;
import dev.holdfast.testing.contract.WorkerSilenceContract;
import org.junit.jupiter.api.Nested;

/** Workers keep their contracts on PostgreSQL when instances, connections and the database fail. */
class PostgreSqlWorkerOutagesIT {
  @Nested
  class WorkerLosses extends WorkerLeaseLossContract {
    WorkerLosses() {
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
}
