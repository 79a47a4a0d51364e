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

/** The guards keep their contracts on H2. */
class H2GuardsIT {
  @Nested
  class Updates extends UpdateContract {
    Updates() {
      super(TestDatabase.h2());
    }
  }

  @Nested
  class UpdateRaces extends UpdateRaceContract {
    UpdateRaces() {
      super(TestDatabase.h2());
    }
  }

  @Nested
  class TimesOfTheDatabase extends SetNowContract {
    TimesOfTheDatabase() {
      super(TestDatabase.h2());
    }
  }

  @Nested
  class Conditionals extends ConditionalUpdateContract {
    Conditionals() {
      super(TestDatabase.h2());
    }
  }

  @Nested
  class ConditionalAmounts extends ConditionalUpdateAmountContract {
    ConditionalAmounts() {
      super(TestDatabase.h2());
    }
  }

  @Nested
  class ConditionalColumns extends ConditionalUpdateColumnContract {
    ConditionalColumns() {
      super(TestDatabase.h2());
    }
  }

  @Nested
  class ConditionalVersions extends ConditionalUpdateVersionContract {
    ConditionalVersions() {
      super(TestDatabase.h2());
    }
  }

  @Nested
  class ConditionalRaces extends ConditionalUpdateRaceContract {
    ConditionalRaces() {
      super(TestDatabase.h2());
    }
  }

  @Nested
  class Creations extends CreateIfAbsentContract {
    Creations() {
      super(TestDatabase.h2());
    }
  }

  @Nested
  class CreationRaces extends CreateIfAbsentRaceContract {
    CreationRaces() {
      super(TestDatabase.h2());
    }
  }

  @Nested
  class CurrentSchemas extends CurrentSchemaContract {
    CurrentSchemas() {
      super(TestDatabase.h2());
    }
  }

  @Nested
  class Locks extends RowLocksContract {
    Locks() {
      super(TestDatabase.h2());
    }
  }

  @Nested
  class OrderOfLocks extends LockOrderContract {
    OrderOfLocks() {
      super(TestDatabase.h2());
    }
  }

  @Nested
  class Rollups extends RollupContract {
    Rollups() {
      super(TestDatabase.h2());
    }
  }

  @Nested
  class RollupRaces extends RollupRaceContract {
    RollupRaces() {
      super(TestDatabase.h2());
    }
  }

  @Nested
  class StuckRowSweeps extends StuckRowsContract {
    StuckRowSweeps() {
      super(TestDatabase.h2());
    }
  }

  @Nested
  class StuckRowRaces extends StuckRowsRaceContract {
    StuckRowRaces() {
      super(TestDatabase.h2());
    }
  }

  @Nested
  class StuckRowFaults extends StuckRowsFaultContract {
    StuckRowFaults() {
      super(TestDatabase.h2());
    }
  }

  @Nested
  class StuckRowPositions extends StuckRowsPositionContract {
    StuckRowPositions() {
      super(TestDatabase.h2());
    }
  }

  @Nested
  class StuckRowMonitors extends StuckRowMonitorContract {
    StuckRowMonitors() {
      super(TestDatabase.h2());
    }
  }

  @Nested
  class EndedTransactions extends TransactionStateContract {
    EndedTransactions() {
      super(TestDatabase.h2());
    }
  }

  @Nested
  class Entrance extends HoldfastContract {
    Entrance() {
      super(TestDatabase.h2());
    }
  }
}
