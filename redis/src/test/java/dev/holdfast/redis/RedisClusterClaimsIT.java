package dev.holdfast.redis;

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
import dev.holdfast.testing.contract.UnkeptAnswersContract;
import io.lettuce.core.cluster.RedisClusterClient;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;

/** Workflows on idempotency records keep their contracts on three masters, real processes. */
class RedisClusterClaimsIT {
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

  private static IdempotencyPlace place() {
    return new RedisIdempotencyPlace(options -> RedisIdempotencyStore.using(client, options));
  }

  @Nested
  class Store extends IdempotencyStoreContract {
    Store() {
      super(RedisClusterClaimsIT::place);
    }
  }

  @Nested
  class Ownership extends IdempotencyHoldContract {
    Ownership() {
      super(RedisClusterClaimsIT::place);
    }
  }

  @Nested
  class Retention extends IdempotencyRetentionContract {
    Retention() {
      super(RedisClusterClaimsIT::place);
    }
  }

  @Nested
  class Flows extends FlowContract {
    Flows() {
      super(RedisClusterClaimsIT::place);
    }
  }

  @Nested
  class Completers extends CompleterContract {
    Completers() {
      super(RedisClusterClaimsIT::place);
    }
  }

  @Nested
  class Use extends ClaimsContract {
    Use() {
      super(RedisClusterClaimsIT::place);
    }
  }

  @Nested
  class Waiting extends ClaimWaitingContract {
    Waiting() {
      super(RedisClusterClaimsIT::place);
    }
  }

  @Nested
  class Keeping extends ClaimKeepingContract {
    Keeping() {
      super(RedisClusterClaimsIT::place);
    }
  }

  @Nested
  class UnkeptAnswers extends UnkeptAnswersContract {
    UnkeptAnswers() {
      super(RedisClusterClaimsIT::place);
    }
  }

  @Nested
  class StepCodec extends ClaimStepsContract {
    StepCodec() {
      super(RedisClusterClaimsIT::place);
    }
  }

  @Nested
  class Loss extends ClaimLossContract {
    Loss() {
      super(RedisClusterClaimsIT::place);
    }
  }

  @Nested
  class Faults extends ClaimFaultsContract {
    Faults() {
      super(RedisClusterClaimsIT::place);
    }
  }

  @Nested
  class Defects extends ClaimDefectsContract {
    Defects() {
      super(RedisClusterClaimsIT::place);
    }
  }
}
