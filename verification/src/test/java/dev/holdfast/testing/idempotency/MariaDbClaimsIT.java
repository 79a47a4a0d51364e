package dev.holdfast.testing.idempotency;

import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.contract.ClaimDefectsContract;
import dev.holdfast.testing.contract.ClaimFaultsContract;
import dev.holdfast.testing.contract.ClaimKeepingContract;
import dev.holdfast.testing.contract.ClaimLossContract;
import dev.holdfast.testing.contract.ClaimStepsContract;
import dev.holdfast.testing.contract.ClaimWaitingContract;
import dev.holdfast.testing.contract.ClaimsContract;
import dev.holdfast.testing.contract.CompleterContract;
import dev.holdfast.testing.contract.FlowContract;
import dev.holdfast.testing.contract.IdempotencyHoldContract;
import dev.holdfast.testing.contract.IdempotencyPlace;
import dev.holdfast.testing.contract.IdempotencyRetentionContract;
import dev.holdfast.testing.contract.IdempotencyStoreContract;
import dev.holdfast.testing.contract.SqlClaimStepsContract;
import dev.holdfast.testing.contract.SqlStepIsolationContract;
import dev.holdfast.testing.contract.UnkeptAnswersContract;
import org.junit.jupiter.api.Nested;

/** Workflows keep their contracts on MariaDB. */
class MariaDbClaimsIT {
  private static IdempotencyPlace place() {
    return IdempotencyPlace.on(TestDatabase.mariaDb());
  }

  @Nested
  class Store extends IdempotencyStoreContract {
    Store() {
      super(MariaDbClaimsIT::place);
    }
  }

  @Nested
  class Ownership extends IdempotencyHoldContract {
    Ownership() {
      super(MariaDbClaimsIT::place);
    }
  }

  @Nested
  class Retention extends IdempotencyRetentionContract {
    Retention() {
      super(MariaDbClaimsIT::place);
    }
  }

  @Nested
  class Use extends ClaimsContract {
    Use() {
      super(MariaDbClaimsIT::place);
    }
  }

  @Nested
  class Waiting extends ClaimWaitingContract {
    Waiting() {
      super(MariaDbClaimsIT::place);
    }
  }

  @Nested
  class Keeping extends ClaimKeepingContract {
    Keeping() {
      super(MariaDbClaimsIT::place);
    }
  }

  @Nested
  class UnkeptAnswers extends UnkeptAnswersContract {
    UnkeptAnswers() {
      super(MariaDbClaimsIT::place);
    }
  }

  @Nested
  class Steps extends ClaimStepsContract {
    Steps() {
      super(MariaDbClaimsIT::place);
    }
  }

  @Nested
  class Loss extends ClaimLossContract {
    Loss() {
      super(MariaDbClaimsIT::place);
    }
  }

  @Nested
  class Faults extends ClaimFaultsContract {
    Faults() {
      super(MariaDbClaimsIT::place);
    }
  }

  @Nested
  class Defects extends ClaimDefectsContract {
    Defects() {
      super(MariaDbClaimsIT::place);
    }
  }

  @Nested
  class Flows extends FlowContract {
    Flows() {
      super(MariaDbClaimsIT::place);
    }
  }

  @Nested
  class Completers extends CompleterContract {
    Completers() {
      super(MariaDbClaimsIT::place);
    }
  }

  @Nested
  class SqlStepIsolations extends SqlStepIsolationContract {
    SqlStepIsolations() {
      super(TestDatabase.mariaDb());
    }
  }

  @Nested
  class SqlSteps extends SqlClaimStepsContract {
    SqlSteps() {
      super(TestDatabase.mariaDb());
    }
  }
}
