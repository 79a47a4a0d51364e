package dev.holdfast.servlet;

import dev.holdfast.testing.TestDatabase;
import org.junit.jupiter.api.Nested;

/** The filter keeps its contracts on MariaDB, by claims and in transactions. */
class MariaDbFilterIT {
  private static FilterPlace place() {
    return new FilterPlace(TestDatabase.mariaDb(), TomcatWeb::start);
  }

  @Nested
  class Replays extends ReplayContract {
    Replays() {
      super(MariaDbFilterIT::place);
    }
  }

  @Nested
  class Refusals extends RefusalContract {
    Refusals() {
      super(MariaDbFilterIT::place);
    }
  }

  @Nested
  class Commits extends TransactionContract {
    Commits() {
      super(MariaDbFilterIT::place);
    }
  }

  @Nested
  class Preconditions extends PreconditionContract {
    Preconditions() {
      super(MariaDbFilterIT::place);
    }
  }
}
