package dev.holdfast.testing.event;

import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.contract.AsyncHandlersContract;
import dev.holdfast.testing.contract.BatchHandlerContract;
import dev.holdfast.testing.contract.NotificationListenerContract;
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

/** Workers and their handlers keep their contracts on PostgreSQL. */
class PostgreSqlWorkersIT {
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
}
