package dev.holdfast.race.own;

import dev.holdfast.testing.TestDatabase;
import org.junit.jupiter.api.Nested;

/** Holdfast's idempotency records survive crashes at every step. */
class OwnIdempotencyCrashIT {
  @Nested
  class OnPostgreSql extends OwnIdempotencyCrash {
    OnPostgreSql() {
      super(TestDatabase.postgreSql());
    }
  }

  @Nested
  class OnMariaDb extends OwnIdempotencyCrash {
    OnMariaDb() {
      super(TestDatabase.mariaDb());
    }
  }

  @Nested
  class OnH2 extends OwnIdempotencyCrash {
    OnH2() {
      super(TestDatabase.h2());
    }
  }
}
