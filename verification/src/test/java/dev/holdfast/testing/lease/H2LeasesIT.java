package dev.holdfast.testing.lease;

import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.contract.FenceContract;
import dev.holdfast.testing.contract.JobRunnerContract;
import dev.holdfast.testing.contract.JobsContract;
import dev.holdfast.testing.contract.LeaseLossContract;
import dev.holdfast.testing.contract.LeaseNotificationContract;
import dev.holdfast.testing.contract.LeaseOfferContract;
import dev.holdfast.testing.contract.LeaseStoreContract;
import dev.holdfast.testing.contract.LeaseStoreFixture;
import dev.holdfast.testing.contract.LeaseStormContract;
import dev.holdfast.testing.contract.LeasesContract;
import dev.holdfast.testing.contract.SharedLeasesContract;
import org.junit.jupiter.api.Nested;

/** Leases keep their contracts on H2. */
class H2LeasesIT {
  private static LeaseStoreFixture place() {
    return LeaseStoreFixture.on(TestDatabase.h2());
  }

  @Nested
  class Store extends LeaseStoreContract {
    Store() {
      super(H2LeasesIT::place);
    }
  }

  @Nested
  class Shared extends SharedLeasesContract {
    Shared() {
      super(H2LeasesIT::place);
    }
  }

  @Nested
  class Telling extends LeaseNotificationContract {
    Telling() {
      super(H2LeasesIT::place);
    }
  }

  @Nested
  class Offers extends LeaseOfferContract {
    Offers() {
      super(H2LeasesIT::place);
    }
  }

  @Nested
  class Use extends LeasesContract {
    Use() {
      super(H2LeasesIT::place);
    }
  }

  @Nested
  class Loss extends LeaseLossContract {
    Loss() {
      super(H2LeasesIT::place);
    }
  }

  @Nested
  class Storm extends LeaseStormContract {
    Storm() {
      super(H2LeasesIT::place);
    }
  }

  @Nested
  class Fences extends FenceContract {
    Fences() {
      super(TestDatabase.h2());
    }
  }

  @Nested
  class Jobs extends JobsContract {
    Jobs() {
      super(TestDatabase.h2());
    }
  }

  @Nested
  class Runners extends JobRunnerContract {
    Runners() {
      super(TestDatabase.h2());
    }
  }
}
