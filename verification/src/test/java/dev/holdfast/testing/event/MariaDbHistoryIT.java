package dev.holdfast.testing.event;

import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.contract.EventHistoryContract;
import dev.holdfast.testing.contract.EventKeyPruningContract;
import dev.holdfast.testing.contract.EventReplayContract;
import dev.holdfast.testing.contract.RetentionContract;
import dev.holdfast.testing.contract.StatsContract;
import org.junit.jupiter.api.Nested;

/** Ended events keep their contracts on MariaDB. */
class MariaDbHistoryIT {
  @Nested
  class Ended extends EventHistoryContract {
    Ended() {
      super(TestDatabase.mariaDb());
    }
  }

  @Nested
  class Replayed extends EventReplayContract {
    Replayed() {
      super(TestDatabase.mariaDb());
    }
  }

  @Nested
  class Kept extends RetentionContract {
    Kept() {
      super(TestDatabase.mariaDb());
    }
  }

  @Nested
  class KeyRaces extends EventKeyPruningContract {
    KeyRaces() {
      super(TestDatabase.mariaDb());
    }
  }

  @Nested
  class Stats extends StatsContract {
    Stats() {
      super(TestDatabase.mariaDb());
    }
  }
}
