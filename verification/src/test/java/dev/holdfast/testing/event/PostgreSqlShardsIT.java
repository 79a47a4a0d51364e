package dev.holdfast.testing.event;

import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.contract.BatchHandlerContract;
import dev.holdfast.testing.contract.EventChangesContract;
import dev.holdfast.testing.contract.EventReplayContract;
import dev.holdfast.testing.contract.EventScheduleContract;
import dev.holdfast.testing.contract.LimitsContract;
import dev.holdfast.testing.contract.WorkerContract;
import dev.holdfast.testing.contract.WorkerControlContract;
import dev.holdfast.testing.contract.WorkerRaceContract;
import org.junit.jupiter.api.Nested;

/** Events keep their contracts in several shards, too. */
class PostgreSqlShardsIT {
  private static final int SHARDS = 4;

  @Nested
  class Scheduling extends EventScheduleContract {
    Scheduling() {
      super(TestDatabase.postgreSql());
    }

    @Override
    protected int shards() {
      return SHARDS;
    }
  }

  @Nested
  class Changes extends EventChangesContract {
    Changes() {
      super(TestDatabase.postgreSql());
    }

    @Override
    protected int shards() {
      return SHARDS;
    }
  }

  @Nested
  class Replays extends EventReplayContract {
    Replays() {
      super(TestDatabase.postgreSql());
    }

    @Override
    protected int shards() {
      return SHARDS;
    }
  }

  @Nested
  class Workers extends WorkerContract {
    Workers() {
      super(TestDatabase.postgreSql());
    }

    @Override
    protected int shards() {
      return SHARDS;
    }
  }

  @Nested
  class WorkerControls extends WorkerControlContract {
    WorkerControls() {
      super(TestDatabase.postgreSql());
    }

    @Override
    protected int shards() {
      return SHARDS;
    }
  }

  @Nested
  class WorkerRaces extends WorkerRaceContract {
    WorkerRaces() {
      super(TestDatabase.postgreSql());
    }

    @Override
    protected int shards() {
      return SHARDS;
    }
  }

  @Nested
  class Limits extends LimitsContract {
    Limits() {
      super(TestDatabase.postgreSql());
    }

    @Override
    protected int shards() {
      return SHARDS;
    }
  }

  @Nested
  class Batches extends BatchHandlerContract {
    Batches() {
      super(TestDatabase.postgreSql());
    }

    @Override
    protected int shards() {
      return SHARDS;
    }
  }
}
