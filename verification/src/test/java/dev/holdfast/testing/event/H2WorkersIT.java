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

/** Workers and their handlers keep their contracts on H2. */
class H2WorkersIT {
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
}
