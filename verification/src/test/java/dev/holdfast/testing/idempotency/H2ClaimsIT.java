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

/** Workflows keep their contracts on H2. */
class H2ClaimsIT {
  private static IdempotencyPlace place() {
    return IdempotencyPlace.on(TestDatabase.h2());
  }

  @Nested
  class Store extends IdempotencyStoreContract {
    Store() {
      super(H2ClaimsIT::place);
    }
  }

  @Nested
  class Ownership extends IdempotencyHoldContract {
    Ownership() {
      super(H2ClaimsIT::place);
    }
  }

  @Nested
  class Retention extends IdempotencyRetentionContract {
    Retention() {
      super(H2ClaimsIT::place);
    }
  }

  @Nested
  class Use extends ClaimsContract {
    Use() {
      super(H2ClaimsIT::place);
    }
  }

  @Nested
  class Waiting extends ClaimWaitingContract {
    Waiting() {
      super(H2ClaimsIT::place);
    }
  }

  @Nested
  class Keeping extends ClaimKeepingContract {
    Keeping() {
      super(H2ClaimsIT::place);
    }
  }

  @Nested
  class UnkeptAnswers extends UnkeptAnswersContract {
    UnkeptAnswers() {
      super(H2ClaimsIT::place);
    }
  }

  @Nested
  class Steps extends ClaimStepsContract {
    Steps() {
      super(H2ClaimsIT::place);
    }
  }

  @Nested
  class Loss extends ClaimLossContract {
    Loss() {
      super(H2ClaimsIT::place);
    }
  }

  @Nested
  class Faults extends ClaimFaultsContract {
    Faults() {
      super(H2ClaimsIT::place);
    }
  }

  @Nested
  class Defects extends ClaimDefectsContract {
    Defects() {
      super(H2ClaimsIT::place);
    }
  }

  @Nested
  class Flows extends FlowContract {
    Flows() {
      super(H2ClaimsIT::place);
    }
  }

  @Nested
  class Completers extends CompleterContract {
    Completers() {
      super(H2ClaimsIT::place);
    }
  }

  @Nested
  class SqlStepIsolations extends SqlStepIsolationContract {
    SqlStepIsolations() {
      super(TestDatabase.h2());
    }
  }

  @Nested
  class SqlSteps extends SqlClaimStepsContract {
    SqlSteps() {
      super(TestDatabase.h2());
    }
  }
}
