package dev.holdfast.testing.event;

import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.contract.AsyncHandlersContract;
import dev.holdfast.testing.contract.BatchHandlerContract;
import dev.holdfast.testing.contract.OrderingKeysContract;
import dev.holdfast.testing.contract.StubbornHandlerContract;
import dev.holdfast.testing.contract.WorkerContract;
import dev.holdfast.testing.contract.WorkerControlContract;
import dev.holdfast.testing.contract.WorkerErrorContract;
import dev.holdfast.testing.contract.WorkerLogContract;
import dev.holdfast.testing.contract.WorkerPollingContract;
import dev.holdfast.testing.contract.WorkerPoolContract;
import dev.holdfast.testing.contract.WorkerRaceContract;
import dev.holdfast.testing.contract.WorkerServicesContract;
import org.junit.jupiter.api.Nested;

/** Workers and their handlers keep their contracts on MariaDB. */
class MariaDbWorkersIT {
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
}
