package dev.holdfast.testing.schedule;

import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.contract.ScheduleCutContract;
import dev.holdfast.testing.contract.ScheduleEtagContract;
import dev.holdfast.testing.contract.SchedulesContract;
import dev.holdfast.testing.contract.SchedulesOverdueContract;
import dev.holdfast.testing.contract.SchedulesRaceContract;
import dev.holdfast.testing.contract.SchedulesRolloutContract;
import org.junit.jupiter.api.Nested;

/** Schedules keep their contracts on PostgreSQL. */
class PostgreSqlSchedulesIT {
  @Nested
  class Fires extends SchedulesContract {
    Fires() {
      super(TestDatabase.postgreSql(), TestSchedules::on);
    }
  }

  @Nested
  class Rollouts extends SchedulesRolloutContract {
    Rollouts() {
      super(TestDatabase.postgreSql(), TestSchedules::on);
    }
  }

  @Nested
  class Races extends SchedulesRaceContract {
    Races() {
      super(TestDatabase.postgreSql(), TestSchedules::on);
    }
  }

  @Nested
  class Seen extends ScheduleEtagContract {
    Seen() {
      super(TestDatabase.postgreSql(), TestSchedules::on);
    }
  }

  @Nested
  class OverdueSchedules extends SchedulesOverdueContract {
    OverdueSchedules() {
      super(TestDatabase.postgreSql(), TestSchedules::on);
    }
  }

  @Nested
  class Cuts extends ScheduleCutContract {
    Cuts() {
      super(TestDatabase.postgreSql(), TestSchedules::on);
    }
  }
}
