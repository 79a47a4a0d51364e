package dev.holdfast.servlet;

import dev.holdfast.testing.TestDatabase;
import org.junit.jupiter.api.Nested;

/** The filter keeps its contracts on Jetty and H2. */
class JettyFilterIT {
  private static FilterPlace place() {
    return new FilterPlace(TestDatabase.h2(), JettyWeb::start);
  }

  @Nested
  class Replays extends ReplayContract {
    Replays() {
      super(JettyFilterIT::place);
    }
  }

  @Nested
  class Refusals extends RefusalContract {
    Refusals() {
      super(JettyFilterIT::place);
    }
  }

  @Nested
  class Async extends AsyncContract {
    Async() {
      super(JettyFilterIT::place);
    }
  }

  @Nested
  class Commits extends TransactionContract {
    Commits() {
      super(JettyFilterIT::place);
    }
  }

  @Nested
  class Load extends LoadContract {
    Load() {
      super(JettyFilterIT::place, 10_000);
    }
  }

  @Nested
  class Preconditions extends PreconditionContract {
    Preconditions() {
      super(JettyFilterIT::place);
    }
  }

  @Nested
  class Limits extends LimitsContract {
    Limits() {
      super(JettyFilterIT::place);
    }
  }

  @Nested
  class Requests extends RequestContract {
    Requests() {
      super(JettyFilterIT::place);
    }
  }

  @Nested
  class Dispatches extends DispatchContract {
    Dispatches() {
      super(JettyFilterIT::place);
    }
  }

  @Nested
  class Problems extends ProblemContract {
    Problems() {
      super(JettyFilterIT::place);
    }
  }
}
