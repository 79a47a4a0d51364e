package dev.holdfast.testing.lease;

import dev.holdfast.testing.TestDatabase;
import org.junit.jupiter.api.Nested;

/** Holders of leases in processes of their own, on each database. */
class LeaseFaultsIT {
  @Nested
  class OnPostgreSql extends LeaseFaults {
    OnPostgreSql() {
      super(TestDatabase.postgreSql());
    }
  }

  @Nested
  class OnMariaDb extends LeaseFaults {
    OnMariaDb() {
      super(TestDatabase.mariaDb());
    }
  }

  @Nested
  class OnH2 extends LeaseFaults {
    OnH2() {
      super(TestDatabase.h2());
    }
  }
}
