package dev.holdfast.redis;

import dev.holdfast.testing.TestRedis;
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
import io.lettuce.core.RedisClient;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;

/** Workflows on idempotency records keep their contracts on Redis. */
class RedisClaimsIT {
  private static RedisClient client;

  @BeforeAll
  static void connect() {
    client = RedisClient.create(TestRedis.uri().toString());
  }

  @AfterAll
  static void close() {
    client.shutdown();
  }

  private static IdempotencyPlace place() {
    return new RedisIdempotencyPlace(options -> RedisIdempotencyStore.using(client, options));
  }

  @Nested
  class Store extends IdempotencyStoreContract {
    Store() {
      super(RedisClaimsIT::place);
    }
  }

  @Nested
  class Ownership extends IdempotencyHoldContract {
    Ownership() {
      super(RedisClaimsIT::place);
    }
  }

  @Nested
  class Retention extends IdempotencyRetentionContract {
    Retention() {
      super(RedisClaimsIT::place);
    }
  }

  @Nested
  class Use extends ClaimsContract {
    Use() {
      super(RedisClaimsIT::place);
    }
  }

  @Nested
  class Waiting extends ClaimWaitingContract {
    Waiting() {
      super(RedisClaimsIT::place);
    }
  }

  @Nested
  class Keeping extends ClaimKeepingContract {
    Keeping() {
      super(RedisClaimsIT::place);
    }
  }

  @Nested
  class UnkeptAnswers extends UnkeptAnswersContract {
    UnkeptAnswers() {
      super(RedisClaimsIT::place);
    }
  }

  @Nested
  class StepCodec extends ClaimStepsContract {
    StepCodec() {
      super(RedisClaimsIT::place);
    }
  }

  @Nested
  class Loss extends ClaimLossContract {
    Loss() {
      super(RedisClaimsIT::place);
    }
  }

  @Nested
  class Faults extends ClaimFaultsContract {
    Faults() {
      super(RedisClaimsIT::place);
    }
  }

  @Nested
  class Defects extends ClaimDefectsContract {
    Defects() {
      super(RedisClaimsIT::place);
    }
  }

  @Nested
  class Flows extends FlowContract {
    Flows() {
      super(RedisClaimsIT::place);
    }
  }

  @Nested
  class Completers extends CompleterContract {
    Completers() {
      super(RedisClaimsIT::place);
    }
  }
}
