package dev.holdfast.testing.guard;

import dev.holdfast.testing.TestDatabase;
<<<<<<< HEAD
import dev.holdfast.testing.contract.ConditionalAmountContract;
import dev.holdfast.testing.contract.ConditionalContract;
import dev.holdfast.testing.contract.ConditionalRaceContract;
import dev.holdfast.testing.contract.CreateOnceContract;
import dev.holdfast.testing.contract.CreateOnceRaceContract;
import dev.holdfast.testing.contract.HoldfastContract;
import dev.holdfast.testing.contract.StuckRowMonitorContract;
import dev.holdfast.testing.contract.StuckRowsContract;
import dev.holdfast.testing.contract.StuckRowsFaultContract;
import dev.holdfast.testing.contract.StuckRowsRaceContract;
=======
import dev.holdfast.testing.contract.LockOrderContract;
import dev.holdfast.testing.contract.RowLocksContract;
>>>>>>> rowlocks
import dev.holdfast.testing.contract.UpdateContract;
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
<<<<<<< HEAD
  class Conditionals extends ConditionalContract {
    Conditionals() {
=======
  class Locks extends RowLocksContract {
    Locks() {
>>>>>>> rowlocks
      super(TestDatabase.mySql());
    }
  }

  @Nested
<<<<<<< HEAD
  class ConditionalAmounts extends ConditionalAmountContract {
    ConditionalAmounts() {
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
  class StuckRowMonitors extends StuckRowMonitorContract {
    StuckRowMonitors() {
      super(TestDatabase.mySql());
    }
  }

  @Nested
  class Entrance extends HoldfastContract {
    Entrance() {
=======
  class OrderOfLocks extends LockOrderContract {
    OrderOfLocks() {
>>>>>>> rowlocks
      super(TestDatabase.mySql());
    }
  }
}
