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
import dev.holdfast.testing.contract.OnceRaceContract;
import dev.holdfast.testing.contract.OnceRefusalContract;
import dev.holdfast.testing.contract.OnceSizeContract;
import org.junit.jupiter.api.Nested;

/** Requests take effect once on H2. */
class H2OnceIT {
  @Nested
  class Use extends OnceContract {
    Use() {
      super(TestDatabase.h2());
    }
  }

  @Nested
  class AtWork extends OnceAtWorkContract {
    AtWork() {
      super(TestDatabase.h2());
    }
  }

  @Nested
  class Refusals extends OnceRefusalContract {
    Refusals() {
      super(TestDatabase.h2());
    }
  }

  @Nested
  class Sizes extends OnceSizeContract {
    Sizes() {
      super(TestDatabase.h2());
    }
  }

  @Nested
  class Joined extends OnceJoinedContract {
    Joined() {
      super(TestDatabase.h2());
    }
  }

  @Nested
  class Isolations extends OnceIsolationContract {
    Isolations() {
      super(TestDatabase.h2());
    }
  }

  @Nested
  class Races extends OnceRaceContract {
    Races() {
      super(TestDatabase.h2());
    }
  }

  @Nested
  class CleanUp extends OnceCleanUpContract {
    CleanUp() {
      super(TestDatabase.h2());
    }
  }

  @Nested
  class Input extends OnceInputContract {
    Input() {
      super(TestDatabase.h2());
    }
  }

  @Nested
  class Defects extends OnceDefectsContract {
    Defects() {
      super(TestDatabase.h2());
    }
  }

  @Nested
  class Faults extends OnceFaultContract {
    Faults() {
      super(TestDatabase.h2());
    }
  }
}
