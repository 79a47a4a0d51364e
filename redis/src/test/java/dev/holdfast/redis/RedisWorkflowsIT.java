package dev.holdfast.redis;

import dev.holdfast.testing.TestRedis;
import dev.holdfast.testing.contract.IdempotencyOwnershipContract;
import dev.holdfast.testing.contract.IdempotencyRetentionContract;
import dev.holdfast.testing.contract.IdempotencyStoreContract;
import dev.holdfast.testing.contract.IdempotencyStoreFixture;
import dev.holdfast.testing.contract.OversizedResultContract;
import dev.holdfast.testing.contract.WorkflowContract;
import dev.holdfast.testing.contract.WorkflowDefectsContract;
import dev.holdfast.testing.contract.WorkflowDefinitionContract;
import dev.holdfast.testing.contract.WorkflowFaultContract;
import dev.holdfast.testing.contract.WorkflowLeaseLossContract;
import dev.holdfast.testing.contract.WorkflowLeaseRenewalContract;
import dev.holdfast.testing.contract.WorkflowRecoveryContract;
import dev.holdfast.testing.contract.WorkflowStepContract;
import dev.holdfast.testing.contract.WorkflowWaitContract;
import io.lettuce.core.RedisClient;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;

/** Workflows on idempotency records keep their contracts on Redis. */
class RedisWorkflowsIT {
  private static RedisClient client;

  @BeforeAll
  static void connect() {
    client = RedisClient.create(TestRedis.uri().toString());
  }

  @AfterAll
  static void close() {
    client.shutdown();
  }

  private static IdempotencyStoreFixture place() {
    return new RedisIdempotencyFixture(options -> RedisIdempotencyStore.using(client, options));
  }

  @Nested
  class Store extends IdempotencyStoreContract {
    Store() {
      super(RedisWorkflowsIT::place);
    }
  }

  @Nested
  class Ownership extends IdempotencyOwnershipContract {
    Ownership() {
      super(RedisWorkflowsIT::place);
    }
  }

  @Nested
  class Retention extends IdempotencyRetentionContract {
    Retention() {
      super(RedisWorkflowsIT::place);
    }
  }

  @Nested
  class Use extends WorkflowContract {
    Use() {
      super(RedisWorkflowsIT::place);
    }
  }

  @Nested
  class Waiting extends WorkflowWaitContract {
    Waiting() {
      super(RedisWorkflowsIT::place);
    }
  }

  @Nested
  class Keeping extends WorkflowLeaseRenewalContract {
    Keeping() {
      super(RedisWorkflowsIT::place);
    }
  }

  @Nested
  class UnkeptAnswers extends OversizedResultContract {
    UnkeptAnswers() {
      super(RedisWorkflowsIT::place);
    }
  }

  @Nested
  class StepCodec extends WorkflowStepContract {
    StepCodec() {
      super(RedisWorkflowsIT::place);
    }
  }

  @Nested
  class Loss extends WorkflowLeaseLossContract {
    Loss() {
      super(RedisWorkflowsIT::place);
    }
  }

  @Nested
  class Faults extends WorkflowFaultContract {
    Faults() {
      super(RedisWorkflowsIT::place);
    }
  }

  @Nested
  class Defects extends WorkflowDefectsContract {
    Defects() {
      super(RedisWorkflowsIT::place);
    }
  }

  @Nested
  class Flows extends WorkflowDefinitionContract {
    Flows() {
      super(RedisWorkflowsIT::place);
    }
  }

  @Nested
  class Completers extends WorkflowRecoveryContract {
    Completers() {
      super(RedisWorkflowsIT::place);
    }
  }
}
