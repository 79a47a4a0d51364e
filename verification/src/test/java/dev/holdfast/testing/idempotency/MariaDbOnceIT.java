package dev.holdfast.testing.idempotency;

import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.contract.OnceAtWorkContract;
import dev.holdfast.testing.contract.OnceCleanUpContract;
import dev.holdfast.testing.contract.OnceContract;
import dev.holdfast.testing.contract.OnceDefectsContract;
import dev.holdfast.testing.contract.OnceFaultContract;
import dev.holdfast.testing.contract.OnceInputContract;
import dev.holdfast.testing.contract.OnceIsolationContract;
import dev.holdfast.testing.contract.OnceJoinedContract;
import dev.holdfast.testing.contract.OnceNetworkContract;
import dev.holdfast.testing.contract.OnceRaceContract;
import dev.holdfast.testing.contract.OnceRefusalContract;
import dev.holdfast.testing.contract.OnceSizeContract;
import org.junit.jupiter.api.Nested;

/** Requests take effect once on MariaDB. */
class MariaDbOnceIT {
  @Nested
  class Use extends OnceContract {
    Use() {
      super(TestDatabase.mariaDb());
    }
  }

  @Nested
  class AtWork extends OnceAtWorkContract {
    AtWork() {
      super(TestDatabase.mariaDb());
    }
  }

  @Nested
  class Refusals extends OnceRefusalContract {
    Refusals() {
      super(TestDatabase.mariaDb());
    }
  }

  @Nested
  class Sizes extends OnceSizeContract {
    Sizes() {
      super(TestDatabase.mariaDb());
    }
  }

  @Nested
  class Joined extends OnceJoinedContract {
    Joined() {
      super(TestDatabase.mariaDb());
    }
  }

  @Nested
  class Isolations extends OnceIsolationContract {
    Isolations() {
      super(TestDatabase.mariaDb());
    }
  }

  @Nested
  class Races extends OnceRaceContract {
    Races() {
      super(TestDatabase.mariaDb());
    }
  }

  @Nested
  class CleanUp extends OnceCleanUpContract {
    CleanUp() {
      super(TestDatabase.mariaDb());
    }
  }

  @Nested
  class Input extends OnceInputContract {
    Input() {
      super(TestDatabase.mariaDb());
    }
  }

  @Nested
  class Defects extends OnceDefectsContract {
    Defects() {
      super(TestDatabase.mariaDb());
    }
  }

  @Nested
  class Faults extends OnceFaultContract {
    Faults() {
      super(TestDatabase.mariaDb());
    }
  }

  @Nested
  class Network extends OnceNetworkContract {
    Network() {
      super(TestDatabase.mariaDb());
    }
  }
}
