package dev.holdfast.testing.idempotency;

import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.contract.IdempotencyCleanupContract;
import dev.holdfast.testing.contract.IdempotencyContract;
import dev.holdfast.testing.contract.IdempotencyDefectsContract;
import dev.holdfast.testing.contract.IdempotencyFaultContract;
import dev.holdfast.testing.contract.IdempotencyInProgressContract;
import dev.holdfast.testing.contract.IdempotencyInputContract;
import dev.holdfast.testing.contract.IdempotencyIsolationContract;
import dev.holdfast.testing.contract.IdempotencyJoinContract;
import dev.holdfast.testing.contract.IdempotencyNetworkContract;
import dev.holdfast.testing.contract.IdempotencyRaceContract;
import dev.holdfast.testing.contract.IdempotencyRejectionContract;
import dev.holdfast.testing.contract.IdempotencyResultSizeContract;
import org.junit.jupiter.api.Nested;

/** Requests take effect once on PostgreSQL. */
class PostgreSqlIdempotencyIT {
  @Nested
  class Use extends IdempotencyContract {
    Use() {
      super(TestDatabase.postgreSql());
    }
  }

  @Nested
  class InProgressRequest extends IdempotencyInProgressContract {
    InProgressRequest() {
      super(TestDatabase.postgreSql());
    }
  }

  @Nested
  class Refusals extends IdempotencyRejectionContract {
    Refusals() {
      super(TestDatabase.postgreSql());
    }
  }

  @Nested
  class Sizes extends IdempotencyResultSizeContract {
    Sizes() {
      super(TestDatabase.postgreSql());
    }
  }

  @Nested
  class Joined extends IdempotencyJoinContract {
    Joined() {
      super(TestDatabase.postgreSql());
    }
  }

  @Nested
  class Isolations extends IdempotencyIsolationContract {
    Isolations() {
      super(TestDatabase.postgreSql());
    }
  }

  @Nested
  class Races extends IdempotencyRaceContract {
    Races() {
      super(TestDatabase.postgreSql());
    }
  }

  @Nested
  class CleanUp extends IdempotencyCleanupContract {
    CleanUp() {
      super(TestDatabase.postgreSql());
    }
  }

  @Nested
  class Input extends IdempotencyInputContract {
    Input() {
      super(TestDatabase.postgreSql());
    }
  }

  @Nested
  class Defects extends IdempotencyDefectsContract {
    Defects() {
      super(TestDatabase.postgreSql());
    }
  }

  @Nested
  class Faults extends IdempotencyFaultContract {
    Faults() {
      super(TestDatabase.postgreSql());
    }
  }

  @Nested
  class Network extends IdempotencyNetworkContract {
    Network() {
      super(TestDatabase.postgreSql());
    }
  }
}
