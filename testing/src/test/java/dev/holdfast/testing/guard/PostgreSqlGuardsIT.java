package dev.holdfast.testing.guard;

import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.contract.HoldfastContract;
import dev.holdfast.testing.contract.StuckRowMonitorContract;
import dev.holdfast.testing.contract.StuckRowsContract;
import dev.holdfast.testing.contract.StuckRowsFaultContract;
import dev.holdfast.testing.contract.StuckRowsRaceContract;
import dev.holdfast.testing.contract.UpdateContract;
import org.junit.jupiter.api.Nested;

/** The guards keep their contracts on PostgreSQL. */
class PostgreSqlGuardsIT {
  @Nested
  class Updates extends UpdateContract {
    Updates() {
      super(TestDatabase.postgreSql());
    }
  }

  @Nested
  class StuckRowSweeps extends StuckRowsContract {
    StuckRowSweeps() {
      super(TestDatabase.postgreSql());
    }
  }

  @Nested
  class StuckRowRaces extends StuckRowsRaceContract {
    StuckRowRaces() {
      super(TestDatabase.postgreSql());
    }
  }

  @Nested
  class StuckRowFaults extends StuckRowsFaultContract {
    StuckRowFaults() {
      super(TestDatabase.postgreSql());
    }
  }

  @Nested
  class StuckRowMonitors extends StuckRowMonitorContract {
    StuckRowMonitors() {
      super(TestDatabase.postgreSql());
    }
  }

  @Nested
  class Entrance extends HoldfastContract {
    Entrance() {
      super(TestDatabase.postgreSql());
    }
  }
}
