package dev.holdfast.testing.event;

import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.contract.EndedEventsContract;
import dev.holdfast.testing.contract.KeySweepRaceContract;
import dev.holdfast.testing.contract.ReplaysContract;
import dev.holdfast.testing.contract.RetentionContract;
import dev.holdfast.testing.contract.StatsContract;
import org.junit.jupiter.api.Nested;

/** Ended events keep their contracts on MariaDB. */
class MariaDbHistoryIT {
  @Nested
  class Ended extends EndedEventsContract {
    Ended() {
      super(TestDatabase.mariaDb());
    }
  }

  @Nested
  class Replayed extends ReplaysContract {
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
  class KeyRaces extends KeySweepRaceContract {
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
