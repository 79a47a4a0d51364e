package dev.holdfast.testing.event;

import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.contract.EventHistoryContract;
import dev.holdfast.testing.contract.EventKeyPruningContract;
import dev.holdfast.testing.contract.EventReplayContract;
import dev.holdfast.testing.contract.RetentionContract;
import dev.holdfast.testing.contract.StatsContract;
import org.junit.jupiter.api.Nested;

/** Ended events keep their contracts on MySQL. */
class MySqlHistoryIT {
  @Nested
  class Ended extends EventHistoryContract {
    Ended() {
      super(TestDatabase.mySql());
    }
  }

  @Nested
  class Replayed extends EventReplayContract {
    Replayed() {
      super(TestDatabase.mySql());
    }
  }

  @Nested
  class Kept extends RetentionContract {
    Kept() {
      super(TestDatabase.mySql());
    }
  }

  @Nested
  class KeyRaces extends EventKeyPruningContract {
    KeyRaces() {
      super(TestDatabase.mySql());
    }
  }

  @Nested
  class Stats extends StatsContract {
    Stats() {
      super(TestDatabase.mySql());
    }
  }
}
