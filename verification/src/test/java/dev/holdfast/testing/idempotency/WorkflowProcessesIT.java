package dev.holdfast.testing.idempotency;

import dev.holdfast.testing.TestDatabase;
import org.junit.jupiter.api.Nested;

/** Workflows of several processes, on each database. */
class WorkflowProcessesIT {
  @Nested
  class OnPostgreSql extends SqlWorkflowProcesses {
    OnPostgreSql() {
      super(TestDatabase.postgreSql());
    }
  }

  @Nested
  class OnMariaDb extends SqlWorkflowProcesses {
    OnMariaDb() {
      super(TestDatabase.mariaDb());
    }
  }

  @Nested
  class OnH2 extends SqlWorkflowProcesses {
    OnH2() {
      super(TestDatabase.h2());
    }
  }
}
