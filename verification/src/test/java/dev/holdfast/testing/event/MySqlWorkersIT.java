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

/** Workers and their handlers keep their contracts on MySQL. */
class MySqlWorkersIT {
  @Nested
  class Workers extends WorkerContract {
    Workers() {
      super(TestDatabase.mySql());
    }
  }

  @Nested
  class WorkerControls extends WorkerControlContract {
    WorkerControls() {
      super(TestDatabase.mySql());
    }
  }

  @Nested
  class WorkerRaces extends WorkerRaceContract {
    WorkerRaces() {
      super(TestDatabase.mySql());
    }
  }

  @Nested
  class WorkerErrors extends WorkerErrorContract {
    WorkerErrors() {
      super(TestDatabase.mySql());
    }
  }

  @Nested
  class Batches extends BatchHandlerContract {
    Batches() {
      super(TestDatabase.mySql());
    }
  }

  @Nested
  class OrderingKeys extends OrderingKeysContract {
    OrderingKeys() {
      super(TestDatabase.mySql());
    }
  }

  @Nested
  class AsyncHandlers extends AsyncHandlersContract {
    AsyncHandlers() {
      super(TestDatabase.mySql());
    }
  }

  @Nested
  class WorkerLooks extends WorkerPollingContract {
    WorkerLooks() {
      super(TestDatabase.mySql());
    }
  }

  @Nested
  class WorkerPools extends WorkerPoolContract {
    WorkerPools() {
      super(TestDatabase.mySql());
    }
  }

  @Nested
  class WorkerServices extends WorkerServicesContract {
    WorkerServices() {
      super(TestDatabase.mySql());
    }
  }

  @Nested
  class WorkerLogs extends WorkerLogContract {
    WorkerLogs() {
      super(TestDatabase.mySql());
    }
  }

  @Nested
  class StubbornHandlers extends StubbornHandlerContract {
    StubbornHandlers() {
      super(TestDatabase.mySql());
    }
  }
}
