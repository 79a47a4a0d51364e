package dev.holdfast.testing.guard;

import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.contract.ConditionalAmountContract;
import dev.holdfast.testing.contract.ConditionalColumnContract;
import dev.holdfast.testing.contract.ConditionalContract;
import dev.holdfast.testing.contract.ConditionalRaceContract;
import dev.holdfast.testing.contract.ConditionalVersionContract;
import dev.holdfast.testing.contract.CreateOnceContract;
import dev.holdfast.testing.contract.CreateOnceRaceContract;
import dev.holdfast.testing.contract.CurrentSchemaContract;
import dev.holdfast.testing.contract.EndedTransactionContract;
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
import dev.holdfast.testing.contract.UpdateContract;
import dev.holdfast.testing.contract.UpdateRaceContract;
import org.junit.jupiter.api.Nested;

/** The guards keep their contracts on MySQL. */
class MySqlGuardsIT {
  @Nested
  class Updates extends UpdateContract {
    Updates() {
      super(TestDatabase.mySql());
    }
  }

  @Nested
  class UpdateRaces extends UpdateRaceContract {
    UpdateRaces() {
      super(TestDatabase.mySql());
    }
  }

  @Nested
  class TimesOfTheDatabase extends SetNowContract {
    TimesOfTheDatabase() {
      super(TestDatabase.mySql());
    }
  }

  @Nested
  class Conditionals extends ConditionalContract {
    Conditionals() {
      super(TestDatabase.mySql());
    }
  }

  @Nested
  class ConditionalAmounts extends ConditionalAmountContract {
    ConditionalAmounts() {
      super(TestDatabase.mySql());
    }
  }

  @Nested
  class ConditionalColumns extends ConditionalColumnContract {
    ConditionalColumns() {
      super(TestDatabase.mySql());
    }
  }

  @Nested
  class ConditionalVersions extends ConditionalVersionContract {
    ConditionalVersions() {
      super(TestDatabase.mySql());
    }
  }

  @Nested
  class ConditionalRaces extends ConditionalRaceContract {
    ConditionalRaces() {
      super(TestDatabase.mySql());
    }
  }

  @Nested
  class Creations extends CreateOnceContract {
    Creations() {
      super(TestDatabase.mySql());
    }
  }

  @Nested
  class CreationRaces extends CreateOnceRaceContract {
    CreationRaces() {
      super(TestDatabase.mySql());
    }
  }

  @Nested
  class CurrentSchemas extends CurrentSchemaContract {
    CurrentSchemas() {
      super(TestDatabase.mySql());
    }
  }

  @Nested
  class Locks extends RowLocksContract {
    Locks() {
      super(TestDatabase.mySql());
    }
  }

  @Nested
  class OrderOfLocks extends LockOrderContract {
    OrderOfLocks() {
      super(TestDatabase.mySql());
    }
  }

  @Nested
  class Rollups extends RollupContract {
    Rollups() {
      super(TestDatabase.mySql());
    }
  }

  @Nested
  class RollupRaces extends RollupRaceContract {
    RollupRaces() {
      super(TestDatabase.mySql());
    }
  }

  @Nested
  class StuckRowSweeps extends StuckRowsContract {
    StuckRowSweeps() {
      super(TestDatabase.mySql());
    }
  }

  @Nested
  class StuckRowRaces extends StuckRowsRaceContract {
    StuckRowRaces() {
      super(TestDatabase.mySql());
    }
  }

  @Nested
  class StuckRowFaults extends StuckRowsFaultContract {
    StuckRowFaults() {
      super(TestDatabase.mySql());
    }
  }

  @Nested
  class StuckRowPositions extends StuckRowsPositionContract {
    StuckRowPositions() {
      super(TestDatabase.mySql());
    }
  }

  @Nested
  class StuckRowMonitors extends StuckRowMonitorContract {
    StuckRowMonitors() {
      super(TestDatabase.mySql());
    }
  }

  @Nested
  class EndedTransactions extends EndedTransactionContract {
    EndedTransactions() {
      super(TestDatabase.mySql());
    }
  }

  @Nested
  class Entrance extends HoldfastContract {
    Entrance() {
      super(TestDatabase.mySql());
    }
  }
}
