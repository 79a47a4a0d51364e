package dev.holdfast.testing.idempotency;

import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestSchema;
import dev.holdfast.testing.contract.SqlStepIsolationContract;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** Steps on a MariaDB that refuses to change what has changed since, as it does from 11.6.2 on. */
class MariaDbSnapshotIT extends SqlStepIsolationContract {
  MariaDbSnapshotIT() {
    super(TestDatabase.mariaDb());
  }

  @BeforeAll
  static void refuse() {
    set("ON");
  }

  @AfterAll
  static void doNotRefuse() {
    set("OFF");
  }

  private static void set(String value) {
    try (TestSchema admin = TestDatabase.mariaDb().newSchema()) {
      admin.execute("set global innodb_snapshot_isolation = " + value);
    }
  }
}
