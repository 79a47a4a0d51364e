package dev.holdfast.testing.idempotency;

import dev.holdfast.testing.TestDatabase;
import org.junit.jupiter.api.Nested;

/** Workflows of several processes, on each database. */
class ClaimProcessesIT {
  @Nested
  class OnPostgreSql extends SqlClaimProcesses {
    OnPostgreSql() {
      super(TestDatabase.postgreSql());
    }
  }

  @Nested
  class OnMariaDb extends SqlClaimProcesses {
    OnMariaDb() {
      super(TestDatabase.mariaDb());
    }
  }

  @Nested
  class OnH2 extends SqlClaimProcesses {
    OnH2() {
      super(TestDatabase.h2());
    }
  }
}
