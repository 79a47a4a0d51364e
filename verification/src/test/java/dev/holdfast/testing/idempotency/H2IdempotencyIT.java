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
import dev.holdfast.testing.contract.IdempotencyRaceContract;
import dev.holdfast.testing.contract.IdempotencyRejectionContract;
import dev.holdfast.testing.contract.IdempotencyResultSizeContract;
import org.junit.jupiter.api.Nested;

/** Requests take effect once on H2. */
class H2IdempotencyIT {
  @Nested
  class Use extends IdempotencyContract {
    Use() {
      super(TestDatabase.h2());
    }
  }

  @Nested
  class InProgressRequest extends IdempotencyInProgressContract {
    InProgressRequest() {
      super(TestDatabase.h2());
    }
  }

  @Nested
  class Refusals extends IdempotencyRejectionContract {
    Refusals() {
      super(TestDatabase.h2());
    }
  }

  @Nested
  class Sizes extends IdempotencyResultSizeContract {
    Sizes() {
      super(TestDatabase.h2());
    }
  }

  @Nested
  class Joined extends IdempotencyJoinContract {
    Joined() {
      super(TestDatabase.h2());
    }
  }

  @Nested
  class Isolations extends IdempotencyIsolationContract {
    Isolations() {
      super(TestDatabase.h2());
    }
  }

  @Nested
  class Races extends IdempotencyRaceContract {
    Races() {
      super(TestDatabase.h2());
    }
  }

  @Nested
  class CleanUp extends IdempotencyCleanupContract {
    CleanUp() {
      super(TestDatabase.h2());
    }
  }

  @Nested
  class Input extends IdempotencyInputContract {
    Input() {
      super(TestDatabase.h2());
    }
  }

  @Nested
  class Defects extends IdempotencyDefectsContract {
    Defects() {
      super(TestDatabase.h2());
    }
  }

  @Nested
  class Faults extends IdempotencyFaultContract {
    Faults() {
      super(TestDatabase.h2());
    }
  }
}
