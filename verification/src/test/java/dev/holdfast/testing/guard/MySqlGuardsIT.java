package dev.holdfast.testing.guard;

import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.contract.ConditionalUpdateAmountContract;
import dev.holdfast.testing.contract.ConditionalUpdateColumnContract;
import dev.holdfast.testing.contract.ConditionalUpdateContract;
import dev.holdfast.testing.contract.ConditionalUpdateRaceContract;
import dev.holdfast.testing.contract.ConditionalUpdateVersionContract;
import dev.holdfast.testing.contract.CreateIfAbsentContract;
import dev.holdfast.testing.contract.CreateIfAbsentRaceContract;
import dev.holdfast.testing.contract.CurrentSchemaContract;
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
  class Conditionals extends ConditionalUpdateContract {
    Conditionals() {
      super(TestDatabase.mySql());
    }
  }

  @Nested
  class ConditionalAmounts extends ConditionalUpdateAmountContract {
    ConditionalAmounts() {
      super(TestDatabase.mySql());
    }
  }

  @Nested
  class ConditionalColumns extends ConditionalUpdateColumnContract {
    ConditionalColumns() {
      super(TestDatabase.mySql());
    }
  }

  @Nested
  class ConditionalVersions extends ConditionalUpdateVersionContract {
    ConditionalVersions() {
      super(TestDatabase.mySql());
    }
  }

  @Nested
  class ConditionalRaces extends ConditionalUpdateRaceContract {
    ConditionalRaces() {
      super(TestDatabase.mySql());
    }
  }

  @Nested
  class Creations extends CreateIfAbsentContract {
    Creations() {
      super(TestDatabase.mySql());
    }
  }

  @Nested
  class CreationRaces extends CreateIfAbsentRaceContract {
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
  class EndedTransactions extends TransactionStateContract {
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
