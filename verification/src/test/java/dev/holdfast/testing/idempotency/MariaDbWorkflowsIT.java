package dev.holdfast.testing.idempotency;

import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.contract.IdempotencyOwnershipContract;
import dev.holdfast.testing.contract.IdempotencyRetentionContract;
import dev.holdfast.testing.contract.IdempotencyStoreContract;
import dev.holdfast.testing.contract.IdempotencyStoreFixture;
import dev.holdfast.testing.contract.OversizedResultContract;
import dev.holdfast.testing.contract.SqlStepIsolationContract;
import dev.holdfast.testing.contract.SqlWorkflowStepContract;
import dev.holdfast.testing.contract.WorkflowContract;
import dev.holdfast.testing.contract.WorkflowDefectsContract;
import dev.holdfast.testing.contract.WorkflowDefinitionContract;
import dev.holdfast.testing.contract.WorkflowFaultContract;
import dev.holdfast.testing.contract.WorkflowLeaseLossContract;
import dev.holdfast.testing.contract.WorkflowLeaseRenewalContract;
import dev.holdfast.testing.contract.WorkflowRecoveryContract;
import dev.holdfast.testing.contract.WorkflowStepContract;
import dev.holdfast.testing.contract.WorkflowWaitContract;
import org.junit.jupiter.api.Nested;

/** Workflows keep their contracts on MariaDB. */
class MariaDbWorkflowsIT {
  private static IdempotencyStoreFixture place() {
    return IdempotencyStoreFixture.on(TestDatabase.mariaDb());
  }

  @Nested
  class Store extends IdempotencyStoreContract {
    Store() {
      super(MariaDbWorkflowsIT::place);
    }
  }

  @Nested
  class Ownership extends IdempotencyOwnershipContract {
    Ownership() {
      super(MariaDbWorkflowsIT::place);
    }
  }

  @Nested
  class Retention extends IdempotencyRetentionContract {
    Retention() {
      super(MariaDbWorkflowsIT::place);
    }
  }

  @Nested
  class Use extends WorkflowContract {
    Use() {
      super(MariaDbWorkflowsIT::place);
    }
  }

  @Nested
  class Waiting extends WorkflowWaitContract {
    Waiting() {
      super(MariaDbWorkflowsIT::place);
    }
  }

  @Nested
  class Keeping extends WorkflowLeaseRenewalContract {
    Keeping() {
      super(MariaDbWorkflowsIT::place);
    }
  }

  @Nested
  class UnkeptAnswers extends OversizedResultContract {
    UnkeptAnswers() {
      super(MariaDbWorkflowsIT::place);
    }
  }

  @Nested
  class Steps extends WorkflowStepContract {
    Steps() {
      super(MariaDbWorkflowsIT::place);
    }
  }

  @Nested
  class Loss extends WorkflowLeaseLossContract {
    Loss() {
      super(MariaDbWorkflowsIT::place);
    }
  }

  @Nested
  class Faults extends WorkflowFaultContract {
    Faults() {
      super(MariaDbWorkflowsIT::place);
    }
  }

  @Nested
  class Defects extends WorkflowDefectsContract {
    Defects() {
      super(MariaDbWorkflowsIT::place);
    }
  }

  @Nested
  class Flows extends WorkflowDefinitionContract {
    Flows() {
      super(MariaDbWorkflowsIT::place);
    }
  }

  @Nested
  class Completers extends WorkflowRecoveryContract {
    Completers() {
      super(MariaDbWorkflowsIT::place);
    }
  }

  @Nested
  class SqlStepIsolations extends SqlStepIsolationContract {
    SqlStepIsolations() {
      super(TestDatabase.mariaDb());
    }
  }

  @Nested
  class SqlSteps extends SqlWorkflowStepContract {
    SqlSteps() {
      super(TestDatabase.mariaDb());
    }
  }
}
