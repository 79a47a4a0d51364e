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

/** Requests take effect once on MariaDB. */
class MariaDbIdempotencyIT {
  @Nested
  class Use extends IdempotencyContract {
    Use() {
      super(TestDatabase.mariaDb());
    }
  }

  @Nested
  class InProgressRequest extends IdempotencyInProgressContract {
    InProgressRequest() {
      super(TestDatabase.mariaDb());
    }
  }

  @Nested
  class Refusals extends IdempotencyRejectionContract {
    Refusals() {
      super(TestDatabase.mariaDb());
    }
  }

  @Nested
  class Sizes extends IdempotencyResultSizeContract {
    Sizes() {
      super(TestDatabase.mariaDb());
    }
  }

  @Nested
  class Joined extends IdempotencyJoinContract {
    Joined() {
      super(TestDatabase.mariaDb());
    }
  }

  @Nested
  class Isolations extends IdempotencyIsolationContract {
    Isolations() {
      super(TestDatabase.mariaDb());
    }
  }

  @Nested
  class Races extends IdempotencyRaceContract {
    Races() {
      super(TestDatabase.mariaDb());
    }
  }

  @Nested
  class CleanUp extends IdempotencyCleanupContract {
    CleanUp() {
      super(TestDatabase.mariaDb());
    }
  }

  @Nested
  class Input extends IdempotencyInputContract {
    Input() {
      super(TestDatabase.mariaDb());
    }
  }

  @Nested
  class Defects extends IdempotencyDefectsContract {
    Defects() {
      super(TestDatabase.mariaDb());
    }
  }

  @Nested
  class Faults extends IdempotencyFaultContract {
    Faults() {
      super(TestDatabase.mariaDb());
    }
  }

  @Nested
  class Network extends IdempotencyNetworkContract {
    Network() {
      super(TestDatabase.mariaDb());
    }
  }
}
