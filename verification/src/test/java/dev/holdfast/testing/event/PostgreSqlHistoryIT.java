package dev.holdfast.testing.event;

import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.contract.EventHistoryContract;
import dev.holdfast.testing.contract.EventKeyPruningContract;
import dev.holdfast.testing.contract.EventReplayContract;
import dev.holdfast.testing.contract.RetentionContract;
import dev.holdfast.testing.contract.StatsContract;
import org.junit.jupiter.api.Nested;

/** Ended events keep their contracts on PostgreSQL. */
class PostgreSqlHistoryIT {
  @Nested
  class Ended extends EventHistoryContract {
    Ended() {
      super(TestDatabase.postgreSql());
    }
  }

  @Nested
  class Replayed extends EventReplayContract {
    Replayed() {
      super(TestDatabase.postgreSql());
    }
  }

  @Nested
  class Kept extends RetentionContract {
    Kept() {
      super(TestDatabase.postgreSql());
    }
  }

  @Nested
  class KeyRaces extends EventKeyPruningContract {
    KeyRaces() {
      super(TestDatabase.postgreSql());
    }
  }

  @Nested
  class Stats extends StatsContract {
    Stats() {
      super(TestDatabase.postgreSql());
    }
  }
}
