package dev.holdfast.redis;

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
import io.lettuce.core.cluster.RedisClusterClient;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;

/** Workflows on idempotency records keep their contracts on three masters, real processes. */
class RedisClusterWorkflowsIT {
  private static TestCluster cluster;
  private static RedisClusterClient client;

  @BeforeAll
  static void connect() {
    cluster = TestCluster.start();
    client = RedisClusterClient.create(cluster.uri());
  }

  @AfterAll
  static void close() {
    client.shutdown();
    cluster.close();
  }

  private static IdempotencyStoreFixture place() {
    return new RedisIdempotencyFixture(options -> RedisIdempotencyStore.using(client, options));
  }

  @Nested
  class Store extends IdempotencyStoreContract {
    Store() {
      super(RedisClusterWorkflowsIT::place);
    }
  }

  @Nested
  class Ownership extends IdempotencyOwnershipContract {
    Ownership() {
      super(RedisClusterWorkflowsIT::place);
    }
  }

  @Nested
  class Retention extends IdempotencyRetentionContract {
    Retention() {
      super(RedisClusterWorkflowsIT::place);
    }
  }

  @Nested
  class Flows extends WorkflowDefinitionContract {
    Flows() {
      super(RedisClusterWorkflowsIT::place);
    }
  }

  @Nested
  class Completers extends WorkflowRecoveryContract {
    Completers() {
      super(RedisClusterWorkflowsIT::place);
    }
  }

  @Nested
  class Use extends WorkflowContract {
    Use() {
      super(RedisClusterWorkflowsIT::place);
    }
  }

  @Nested
  class Waiting extends WorkflowWaitContract {
    Waiting() {
      super(RedisClusterWorkflowsIT::place);
    }
  }

  @Nested
  class Keeping extends WorkflowLeaseRenewalContract {
    Keeping() {
      super(RedisClusterWorkflowsIT::place);
    }
  }

  @Nested
  class UnkeptAnswers extends OversizedResultContract {
    UnkeptAnswers() {
      super(RedisClusterWorkflowsIT::place);
    }
  }

  @Nested
  class StepCodec extends WorkflowStepContract {
    StepCodec() {
      super(RedisClusterWorkflowsIT::place);
    }
  }

  @Nested
  class Loss extends WorkflowLeaseLossContract {
    Loss() {
      super(RedisClusterWorkflowsIT::place);
    }
  }

  @Nested
  class Faults extends WorkflowFaultContract {
    Faults() {
      super(RedisClusterWorkflowsIT::place);
    }
  }

  @Nested
  class Defects extends WorkflowDefectsContract {
    Defects() {
      super(RedisClusterWorkflowsIT::place);
    }
  }
}
