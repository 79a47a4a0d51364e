package dev.holdfast.testing.guard;

import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.contract.ConditionalUpdateAmountContract;
import dev.holdfast.testing.contract.ConditionalUpdateColumnContract;
import dev.holdfast.testing.contract.ConditionalUpdateContract;
import dev.holdfast.testing.contract.ConditionalUpdateRaceContract;
import dev.holdfast.testing.contract.ConditionalUpdateVersionContract;
import dev.holdfast.testing.contract.CreateIfAbsentContract;
import dev.holdfast.testing.contract.CreateIfAbsentRaceContract;
import dev.holdfast.testing.contract.HoldfastContract;
import dev.holdfast.testing.contract.LockOrderContract;
import dev.holdfast.testing.contract.RollupContract;
import dev.holdfast.testing.contract.RollupRaceContract;
import dev.holdfast.testing.contract.RowLocksContract;
import dev.holdfast.testing.contract.SetNowContract;
import dev.holdfast.testing.contract.StuckRowMonitorContract;
import dev.holdfast.testing.contract.StuckRowsContract;
import dev.holdfast.testing.contract.StuckRowsFaultContract;
import dev.holdfast.testing.contract.StuckRowsPositionContract;
import dev.holdfast.testing.contract.StuckRowsRaceContract;
import dev.holdfast.testing.contract.TransactionStateContract;
import dev.holdfast.testing.contract.UpdateContract;
import dev.holdfast.testing.contract.UpdateRaceContract;
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
  class UpdateRaces extends UpdateRaceContract {
    UpdateRaces() {
      super(TestDatabase.postgreSql());
    }
  }

  @Nested
  class TimesOfTheDatabase extends SetNowContract {
    TimesOfTheDatabase() {
      super(TestDatabase.postgreSql());
    }
  }

  @Nested
  class Conditionals extends ConditionalUpdateContract {
    Conditionals() {
      super(TestDatabase.postgreSql());
    }
  }

  @Nested
  class ConditionalAmounts extends ConditionalUpdateAmountContract {
    ConditionalAmounts() {
      super(TestDatabase.postgreSql());
    }
  }

  @Nested
  class ConditionalColumns extends ConditionalUpdateColumnContract {
    ConditionalColumns() {
      super(TestDatabase.postgreSql());
    }
  }

  @Nested
  class ConditionalVersions extends ConditionalUpdateVersionContract {
    ConditionalVersions() {
      super(TestDatabase.postgreSql());
    }
  }

  @Nested
  class ConditionalRaces extends ConditionalUpdateRaceContract {
    ConditionalRaces() {
      super(TestDatabase.postgreSql());
    }
  }

  @Nested
  class Creations extends CreateIfAbsentContract {
    Creations() {
      super(TestDatabase.postgreSql());
    }
  }

  @Nested
  class CreationRaces extends CreateIfAbsentRaceContract {
    CreationRaces() {
      super(TestDatabase.postgreSql());
    }
  }

  @Nested
  class Locks extends RowLocksContract {
    Locks() {
      super(TestDatabase.postgreSql());
    }
  }

  @Nested
  class OrderOfLocks extends LockOrderContract {
    OrderOfLocks() {
      super(TestDatabase.postgreSql());
    }
  }

  @Nested
  class Rollups extends RollupContract {
    Rollups() {
      super(TestDatabase.postgreSql());
    }
  }

  @Nested
  class RollupRaces extends RollupRaceContract {
    RollupRaces() {
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
  class StuckRowPositions extends StuckRowsPositionContract {
    StuckRowPositions() {
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
  class EndedTransactions extends TransactionStateContract {
    EndedTransactions() {
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
