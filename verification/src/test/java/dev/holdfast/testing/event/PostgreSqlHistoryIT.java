package dev.holdfast.testing.event;

import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.contract.EndedEventsContract;
import dev.holdfast.testing.contract.KeySweepRaceContract;
import dev.holdfast.testing.contract.ReplaysContract;
import dev.holdfast.testing.contract.RetentionContract;
import dev.holdfast.testing.contract.StatsContract;
import org.junit.jupiter.api.Nested;

/** Ended events keep their contracts on PostgreSQL. */
class PostgreSqlHistoryIT {
  @Nested
  class Ended extends EndedEventsContract {
    Ended() {
      super(TestDatabase.postgreSql());
    }
  }

  @Nested
  class Replayed extends ReplaysContract {
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
  class KeyRaces extends KeySweepRaceContract {
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
