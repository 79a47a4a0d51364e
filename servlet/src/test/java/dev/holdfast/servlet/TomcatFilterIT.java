package dev.holdfast.servlet;

import dev.holdfast.testing.TestDatabase;
import org.junit.jupiter.api.Nested;

/** The filter keeps its contracts on Tomcat and PostgreSQL. */
class TomcatFilterIT {
  private static FilterPlace place() {
    return new FilterPlace(TestDatabase.postgreSql(), TomcatWeb::start);
  }

  @Nested
  class Replays extends ReplayContract {
    Replays() {
      super(TomcatFilterIT::place);
    }
  }

  @Nested
  class Refusals extends RefusalContract {
    Refusals() {
      super(TomcatFilterIT::place);
    }
  }

  @Nested
  class Async extends AsyncContract {
    Async() {
      super(TomcatFilterIT::place);
    }
  }

  @Nested
  class Commits extends TransactionContract {
    Commits() {
      super(TomcatFilterIT::place);
    }
  }

  @Nested
  class Load extends LoadContract {
    Load() {
      super(TomcatFilterIT::place, 10_000);
    }
  }

  @Nested
  class Preconditions extends PreconditionContract {
    Preconditions() {
      super(TomcatFilterIT::place);
    }
  }

  @Nested
  class Limits extends LimitsContract {
    Limits() {
      super(TomcatFilterIT::place);
    }
  }

  @Nested
  class Requests extends RequestContract {
    Requests() {
      super(TomcatFilterIT::place);
    }
  }

  @Nested
  class Dispatches extends DispatchContract {
    Dispatches() {
      super(TomcatFilterIT::place);
    }
  }

  @Nested
  class Problems extends ProblemContract {
    Problems() {
      super(TomcatFilterIT::place);
    }
  }
}
