package dev.holdfast.testing.event;

import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.contract.CurrentTransactionContract;
import dev.holdfast.testing.contract.EventChangesContract;
import dev.holdfast.testing.contract.EventChangesJoinedContract;
import dev.holdfast.testing.contract.EventInputContract;
import dev.holdfast.testing.contract.EventScheduleContract;
import dev.holdfast.testing.contract.EventStoreContract;
import dev.holdfast.testing.contract.LimitedClaimContract;
import dev.holdfast.testing.contract.LimitsContract;
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
